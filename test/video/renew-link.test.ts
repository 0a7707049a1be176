import { expect, test } from '@jest/globals';
import { type Interaction, channelId, userId, workspaceId } from '../../shared/domain/index.ts';
import { onAction } from '../../shared/commands/definitions/animate.ts';
import {
  CannotPostError,
  FileUnavailableError,
  ThreadDeletedError,
} from '../../shared/platforms/ports/index.ts';
import type { TextMessage } from '../../shared/i18n/index.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { enqueueVideoTask } from '../../shared/video/enqueue.ts';
import { buttonPress, delivery, jobs } from './video-interactions.ts';
import { VideoHarness, videoRequest } from './video-harness.ts';

/** A delivered video that is too large for the platform: its thread has a link to it. */
async function largeVideo(
  why: TextMessage = ['files.upload.too-large', { mb: 10 }],
): Promise<{ readonly harness: VideoHarness; readonly id: string }> {
  const harness = new VideoHarness();
  await harness.process((context) => startJob(videoRequest(), context));
  harness.stage.refuse.upload = new FileUnavailableError(why);
  await harness.serve();
  const [job] = await jobs(harness);
  if (job) await harness.process((context) => enqueueVideoTask(job, 'hint', context.queue));
  await harness.serve();
  return { harness, id: job?.id ?? '' };
}

/** Whether a click with this button, half an hour after the delivery, changes the card with the link. */
async function isRenewed(more: Partial<Interaction>): Promise<boolean> {
  const { harness, id } = await largeVideo();
  const link = (): string => JSON.stringify([...harness.stage.cards.values()]);
  const before = link();
  expect(before).toContain('video.link');
  harness.now += 1_800_000;
  const press = buttonPress({ name: 'video.link', args: [id] }, { thread: undefined, ...more });
  await harness.process((context) => onAction(press, context, delivery));
  return link() !== before;
}

const stranger = { user: userId('U2'), workspace: workspaceId('T1'), roles: [] };

test.each<[TextMessage, string]>([
  [['files.upload.too-large', { mb: 10 }], 'That is more than the 10 MB that I may send here.'],
  [['files.upload.full'], 'The file storage of this workspace is full.'],
])('a card with a link says why the video is not attached: %j', async (why, sentence) => {
  const { harness } = await largeVideo(why);
  const card = harness.stage.cards.get(
    [...harness.stage.cards.keys()].find((key) => key.startsWith('video-link')) ?? '',
  );
  expect(card?.title).toBe('The video could not be attached here');
  expect(card?.parts).toContainEqual({ kind: 'note', markdown: sentence });
});

test('everybody in the channel of a large video may renew its link', async () => {
  expect(await isRenewed({ by: stranger })).toBe(true);
});

test.each([
  ['another channel', { channel: channelId('C2') }],
  ['another workspace with the same channel', { workspace: workspaceId('T2') }],
  ['another platform', { platform: 'discord' as const }],
  ['App Home', { channel: undefined }],
])('a button that names a large video renews no link from %s', async (_, place) => {
  expect(await isRenewed({ by: stranger, ...place })).toBe(false);
});

test.each([
  [new CannotPostError('is_archived'), 'I cannot write here'],
  [new ThreadDeletedError('gone'), 'I cannot write here'],
  [new CannotPostError('no', { why: 'words-blocked' }), 'blocked here'],
])('a link that can no longer be shown is refused with a reason: %s', async (error, reason) => {
  const { harness, id } = await largeVideo();
  harness.stage.refuse.postCard = error;
  const press = buttonPress({ name: 'video.link', args: [id] });
  await harness.process((context) => onAction(press, context, delivery));
  expect(JSON.stringify(harness.stage.answers)).toContain(reason);
});
