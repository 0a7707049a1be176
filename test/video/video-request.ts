import { channelId, messageId, type Thread, userId, workspaceId } from '../../shared/domain/index.ts';
import type { VideoRequest } from '../../shared/video/propose-job.ts';

export const thread: Thread = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1700000000.000100'),
};
export const person = { platform: 'slack', workspace: workspaceId('T1'), user: userId('U1') } as const;

export const MODEL = {
  name: 'model-a-video',
  operation: 'image-to-video',
  field: 'image_url',
  price: '0.35',
} as const;

/** The picture in the message. */
export const PICTURE = { id: 'F1', name: 'sea.png', mimetype: 'image/png', bytes: 100 };

export const videoRequest = (more: Partial<VideoRequest> = {}): VideoRequest => ({
  requestKey: 'press-1',
  by: person,
  admin: false,
  locale: 'en',
  thread,
  requestMessage: thread.root,
  picture: PICTURE,
  prompt: 'waves',
  ...more,
});
