import type { CommandsContext } from '../context.ts';
import { type InteractionPayload, type Interaction, splitRecordings } from '../../domain/index.ts';

/**
 * Converts a reaction to the command of the same name in the message's menu. Undefined for a message without a recording: people
 * use the same reaction for other purposes, and the bot does not respond to those.
 */
export async function toTranscribeCommand(
  payload: Extract<InteractionPayload, { kind: 'reacted' }>,
  { workspace, channel, platform }: Interaction,
  context: Pick<CommandsContext, 'platform'>,
): Promise<Extract<InteractionPayload, { kind: 'on-message' }> | undefined> {
  if (!channel) return undefined;
  const message = await context.platform.findMessage({ platform, workspace, channel }, payload.message);
  if (!message || splitRecordings(message).recordings.length === 0) return undefined;
  return { kind: 'on-message', name: payload.name, message };
}
