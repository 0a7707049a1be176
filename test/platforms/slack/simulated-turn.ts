import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../../shared/domain/index.ts';
import type { SlackSimulator } from '../../simulators/slack/index.ts';

/** A question of the workspace's first person, which began its thread. */
export function turnAt(
  { channel, teamId, users }: Pick<SlackSimulator, 'channel' | 'teamId' | 'users'>,
  question: string,
): TurnRef {
  return {
    thread: {
      platform: 'slack',
      workspace: workspaceId(teamId),
      channel: channelId(channel),
      root: messageId(question),
    },
    message: messageId(question),
    asker: userId(users[0]?.id ?? ''),
    askerWorkspace: workspaceId(teamId),
  };
}
