import type { TurnRef } from '../../../domain/index.ts';
import { isLocked, getRefusalKind } from '../api/errors.ts';
import type { FindAnswerChannel } from '../deps.ts';
import { findMissing, type PermissionFinder, type PermissionName } from '../lookup/permissions.ts';

export type MissingPermissionDeps = {
  readonly findChannel: FindAnswerChannel;
  readonly permissions: PermissionFinder;
};

/** The channel of a refused request, and the permissions that the bot lacks there to write and for `more`; none if they are unknown. */
export async function findMissingPermissions(
  { findChannel, permissions }: MissingPermissionDeps,
  turn: TurnRef,
  error: unknown,
  more: readonly PermissionName[] = [],
): Promise<{ readonly at: string; readonly missing: readonly string[] }> {
  const channel = await findChannel(turn).catch(() => String(turn.thread.channel));
  if (isLocked(error)) return { at: channel, missing: [MANAGE_THREADS] };
  if (getRefusalKind(error) === 'user-unreachable') return { at: channel, missing: [] };
  const write: PermissionName =
    channel === String(turn.thread.channel) ? 'SendMessages' : 'SendMessagesInThreads';
  return { at: channel, missing: findMissing(await permissions(turn.thread), [write, ...more]) };
}

/** The permission to write in a locked thread. */
const MANAGE_THREADS = 'Manage Threads';
