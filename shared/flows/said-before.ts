import type { Turn, TurnRef } from '../conversation/index.ts';
import type { Past } from '../store/index.ts';
import { PLATFORM_NAMES, type Saying } from '../texts/index.ts';
import type { Deps } from './ports.ts';

/** What was said in a thread before the bot was called into it, as far as it could be read. */
export type Before = Pick<Turn, 'before' | 'isBeforeUnread'> & {
  /** What people are to know of what could not be read. */
  readonly unread?: Saying | undefined;
};

/**
 * Called into a thread in which others have talked, or in a reply to one of them, the bot reads once what they said: with its first
 * question there, or with the next where the platform did not let it read by then.
 */
export async function saidBefore(
  turn: TurnRef,
  past: Past,
  deps: Pick<Deps, 'platform' | 'settings' | 'hearing'>,
): Promise<Before> {
  const last = past.turns.at(-1);
  return last && !last.isBeforeUnread ? {} : readBefore(turn, deps);
}

/** The same for a turn of which it is known that nothing was read yet. */
export async function readBefore(
  turn: TurnRef,
  { platform, settings, hearing }: Pick<Deps, 'platform' | 'settings' | 'hearing'>,
): Promise<Before> {
  const { thread, message } = turn;
  // Where the question itself is what the thread hangs on, its recordings were heard before it was asked.
  const heardBefore = message === thread.root ? undefined : hearing?.recordings.said(thread, thread.root);
  const [{ said, retryAfterMs }, spoken] = await Promise.all([
    platform.earlier(turn),
    heardBefore?.catch(() => undefined),
  ]);
  const lines = said.map((one) => `${one.author}: ${one.text}`);
  // The card with the words may be cut, or be none of what the platform gives back.
  const heard = spoken ? [`(The recording that the thread hangs on:) ${spoken}`] : [];
  const text = [...lines, ...heard].join('\n');
  const before = text.slice(-settings.beforeCharacters) || undefined;
  if (retryAfterMs === undefined) return { before };
  const name = PLATFORM_NAMES[thread.platform];
  const unread: Saying =
    said.length > 0
      ? ['summary.left.slowed', { platform: name, count: said.length }]
      : ['answers.before.unread', { platform: name, seconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)) }];
  return { before, unread, ...(said.length === 0 && { isBeforeUnread: true }) };
}
