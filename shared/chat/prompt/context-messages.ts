import type { ChatContext } from '../context.ts';
import {
  PLATFORM_TRAITS,
  type ContextLine,
  type Thread,
  type Turn,
  type TurnRef,
} from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';
import type { TextMessage } from '../../i18n/index.ts';

/** The messages of a thread before the first mention of the bot, as far as they could be read. */
export type ContextMessages = Pick<Turn, 'contextLines' | 'isBeforeUnread'> & {
  /** A notice about messages that could not be read. */
  readonly unread?: TextMessage | undefined;
};

type ReadContext = Pick<ChatContext, 'platform' | 'settings' | 'transcription'>;

/**
 * Reads the earlier messages of a thread once: with the first question, or with the next if the platform did not allow it
 * then.
 */
export async function readFirstContext(
  turn: TurnRef,
  past: ThreadHistory,
  context: ReadContext,
): Promise<ContextMessages> {
  const last = past.turns.at(-1);
  return last && !last.isBeforeUnread ? {} : readContextMessages(turn, context);
}

/** Reads the earlier messages for a turn that is regenerated, if it lacks them. Without `ended`, it was edited before its answer. */
export const readMissingContext = async (
  turn: TurnRef,
  ended: Turn | undefined,
  past: ThreadHistory,
  context: ReadContext,
): Promise<ContextMessages> => {
  if (!ended) return readFirstContext(turn, past, context);
  return ended.isBeforeUnread ? readContextMessages(turn, context) : {};
};

/** Reads the earlier messages for a turn without them. */
async function readContextMessages(turn: TurnRef, context: ReadContext): Promise<ContextMessages> {
  const { thread } = turn;
  const [{ messages, retryAfterMs }, transcript] = await Promise.all([
    context.platform.fetchEarlierMessages(turn),
    readRootTranscript(turn, context),
  ]);
  const lines = messages.map(({ by, author, text, at }) => ({ by, author, text, at }));
  // The transcript card may be shortened or missing in the platform's history.
  const contextLines = takeLast([...lines, ...transcript], context.settings.beforeCharacters);
  if (retryAfterMs === undefined) return { contextLines };
  const name = PLATFORM_TRAITS[thread.platform].name;
  const unread: TextMessage =
    messages.length > 0
      ? ['summary.left.slowed', { platform: name, count: messages.length }]
      : ['answers.before.unread', { platform: name, seconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)) }];
  return { contextLines, unread, ...(messages.length === 0 && { isBeforeUnread: true }) };
}

/** Returns the transcript of a recording in the root message, unless that is the question itself. */
async function readRootTranscript(
  { thread, message }: TurnRef,
  { transcription: { recordings } }: ReadContext,
): Promise<ContextLine[]> {
  if (message === thread.root) return [];
  const transcript = await recordings.attributedTranscript(thread, thread.root).catch(() => undefined);
  // Without a speaker it could not be erased.
  return transcript ? [{ ...transcript, author: '(The recording that the thread hangs on)' }] : [];
}

/** Returns the last lines within `maxCharacters`. Cuts the very last line if it is longer. */
function takeLast(lines: readonly ContextLine[], maxCharacters: number): readonly ContextLine[] | undefined {
  const remaining: ContextLine[] = [];
  let room = maxCharacters;
  for (const line of lines.toReversed()) {
    room -= line.author.length + line.text.length;
    if (room >= 0) remaining.unshift(line);
    else if (remaining.length === 0) remaining.push({ ...line, text: line.text.slice(-room).toWellFormed() });
    if (room < 0) break;
  }
  return remaining.length > 0 ? remaining : undefined;
}

/**
 * Removes lines of people whose data was erased after they wrote them. Called again before storing, because the erasure may
 * have run during the answer and cannot find a turn that is stored later.
 */
export async function withoutErasedLines(
  lines: readonly ContextLine[] | undefined,
  thread: Thread,
  { erasureMoments }: Pick<ChatContext, 'erasureMoments'>,
): Promise<readonly ContextLine[] | undefined> {
  if (!lines) return undefined;
  const erasedAt = await erasureMoments.findForPeople(
    thread,
    lines.flatMap(({ by }) => by ?? []),
  );
  const remaining = lines.filter(({ by, at }) => by === undefined || at > (erasedAt.get(by) ?? 0));
  return remaining.length > 0 ? remaining : undefined;
}
