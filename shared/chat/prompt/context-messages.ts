import type { ChatContext } from '../context.ts';
import type { ContextLine, Thread, Turn, TurnRef } from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';
import { PLATFORM_NAMES, type TextMessage } from '../../i18n/index.ts';

/** What was said in a thread before the bot was called into it, as far as it could be read. */
export type ContextMessages = Pick<Turn, 'contextLines' | 'isBeforeUnread'> & {
  /** What people are to know of what could not be read. */
  readonly unread?: TextMessage | undefined;
};

type ReadContext = Pick<ChatContext, 'platform' | 'settings' | 'transcription'>;

/**
 * Called into a thread in which others have talked, or in a reply to one of them, the bot reads once what they said: with its first
 * question there, or with the next where the platform did not let it read by then.
 */
export async function contextPrompt(
  turn: TurnRef,
  past: ThreadHistory,
  context: ReadContext,
): Promise<ContextMessages> {
  const last = past.turns.at(-1);
  return last && !last.isBeforeUnread ? {} : readContextMessages(turn, context);
}

/** The same for a turn of which it is known that nothing was read yet. */
export async function readContextMessages(turn: TurnRef, context: ReadContext): Promise<ContextMessages> {
  const { thread } = turn;
  const [{ said, retryAfterMs }, heard] = await Promise.all([
    context.platform.fetchEarlierMessages(turn),
    readRootTranscript(turn, context),
  ]);
  const lines = said.map(({ by, author, text, at }) => ({ by, author, text, at }));
  // The card with the words may be cut, or be none of what the platform gives back.
  const contextLines = takeLast([...lines, ...heard], context.settings.beforeCharacters);
  if (retryAfterMs === undefined) return { contextLines };
  const name = PLATFORM_NAMES[thread.platform];
  const unread: TextMessage =
    said.length > 0
      ? ['summary.left.slowed', { platform: name, count: said.length }]
      : ['answers.before.unread', { platform: name, seconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)) }];
  return { contextLines, unread, ...(said.length === 0 && { isBeforeUnread: true }) };
}

/** The words of the recording that the thread hangs on. Where the question itself is that, it was heard before it was asked. */
async function readRootTranscript(
  { thread, message }: TurnRef,
  { transcription: { recordings } }: ReadContext,
): Promise<ContextLine[]> {
  if (message === thread.root) return [];
  const heard = await recordings.attributedTranscript(thread, thread.root).catch(() => undefined);
  // Of nobody it could not be taken out again.
  return heard ? [{ ...heard, author: '(The recording that the thread hangs on)' }] : [];
}

/** The last lines with so many characters together. The very last is cut rather than left out. */
function takeLast(lines: readonly ContextLine[], maxCharacters: number): readonly ContextLine[] | undefined {
  const kept: ContextLine[] = [];
  let room = maxCharacters;
  for (const line of lines.toReversed()) {
    room -= line.author.length + line.text.length;
    if (room >= 0) kept.unshift(line);
    else if (kept.length === 0) kept.push({ ...line, text: line.text.slice(-room).toWellFormed() });
    if (room < 0) break;
  }
  return kept.length > 0 ? kept : undefined;
}

/**
 * The lines of those who were not forgotten since they said them: looked up again before they are stored, since the answer took a
 * while. What is stored later than an erasure finds it by the index stays out by this.
 */
export async function withoutErasedLines(
  lines: readonly ContextLine[] | undefined,
  thread: Thread,
  { erasureMoments }: Pick<ChatContext, 'erasureMoments'>,
): Promise<readonly ContextLine[] | undefined> {
  if (!lines) return undefined;
  const until = await erasureMoments.findForPeople(
    thread,
    lines.flatMap(({ by }) => by ?? []),
  );
  const kept = lines.filter(({ by, at }) => by === undefined || at > (until.get(by) ?? 0));
  return kept.length > 0 ? kept : undefined;
}
