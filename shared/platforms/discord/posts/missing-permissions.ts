import type { TurnRef } from '../../../domain/index.ts';
import { isLocked, refusalKind } from '../api/errors.ts';
import type { AnswerChannel } from '../deps.ts';
import { missingAmong, type PermissionFinder, type PermissionName } from '../lookup/permissions.ts';

export type MissingPermissionDeps = { readonly where: AnswerChannel; readonly permissions: PermissionFinder };

/** The channel of a refused request, and the permissions that the bot lacks there to write and for `more`; none if they are unknown. */
export async function missingPermissions(
  { where, permissions }: MissingPermissionDeps,
  turn: TurnRef,
  error: unknown,
  more: readonly PermissionName[] = [],
): Promise<{ readonly at: string; readonly missing: readonly string[] }> {
  const at = await where(turn).catch(() => String(turn.thread.channel));
  if (isLocked(error)) return { at, missing: [MANAGE_THREADS] };
  if (refusalKind(error) === 'user-unreachable') return { at, missing: [] };
  const write: PermissionName = at === String(turn.thread.channel) ? 'SendMessages' : 'SendMessagesInThreads';
  return { at, missing: missingAmong(await permissions(turn.thread), [write, ...more]) };
}

/** The permission to write in a locked thread. */
const MANAGE_THREADS = 'Manage Threads';
