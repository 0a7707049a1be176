import type { CommandsContext } from '../context.ts';
import { type InteractionPayload, type Interaction, splitRecordings } from '../../domain/index.ts';

/**
 * What a reaction calls: the command of the message's menu that has its name, on the message as it stands. Undefined for a
 * message without a recording: people put the same reaction to other uses, and are not spoken to for that.
 */
export async function reactionTarget(
  call: Extract<InteractionPayload, { kind: 'reacted' }>,
  { workspace, channel, platform }: Interaction,
  context: Pick<CommandsContext, 'platform'>,
): Promise<Extract<InteractionPayload, { kind: 'on-message' }> | undefined> {
  if (!channel) return undefined;
  const message = await context.platform.findMessage({ platform, workspace, channel }, call.message);
  if (!message || splitRecordings(message).recordings.length === 0) return undefined;
  return { kind: 'on-message', name: call.name, message };
}
