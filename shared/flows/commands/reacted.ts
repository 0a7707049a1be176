import { type Call, type Invocation, partRecordings } from '../../conversation/index.ts';
import type { Deps } from '../ports.ts';

/**
 * What a reaction calls: the command of the message's menu that has its name, on the message as it stands. Undefined for a
 * message without a recording: people put the same reaction to other uses, and are not spoken to for that.
 */
export async function meantBy(
  call: Extract<Call, { kind: 'reacted' }>,
  { workspace, channel, platform }: Invocation,
  deps: Pick<Deps, 'platform'>,
): Promise<Extract<Call, { kind: 'on-message' }> | undefined> {
  if (!channel) return undefined;
  const message = await deps.platform.message?.({ platform, workspace, channel }, call.message);
  if (!message || partRecordings(message).recordings.length === 0) return undefined;
  return { kind: 'on-message', name: call.name, message };
}
