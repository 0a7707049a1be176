import type { ChatContext } from '../context.ts';
import {
  buildPrompt,
  CONTEXT_UNREADABLE_NOTE,
  type ContextLine,
  formatContext,
  takeNewestQuarter,
  PLATFORM_TRAITS,
  type PromptMessage,
  questionText,
  type Thread,
  trimHistory,
  type Turn,
  type TurnRef,
  fitWindowToModel,
  withoutQuestions,
  withThreadContext,
} from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';
import { estimateMaxUsage } from '../../billing/index.ts';
import { formatFacts } from '../../facts/index.ts';
import type { TextMessage } from '../../i18n/index.ts';
import type { ContextMessages, PreparedQuestion, QuestionInput } from './prepare-question.ts';

/** A prompt that fits into the context window of the model. */
export type FittingPrompt = {
  /** The turns of the history in the prompt. */
  readonly history: ThreadHistory['turns'];
  messages(): PromptMessage[];
  /** Shortens the history after a context overflow; undefined if there is none left. */
  shorten(): PromptMessage[] | undefined;
};

/** Returns the history without questions whose removal waits in the queue. */
export function withoutDeletedQuestions(past: ThreadHistory): ThreadHistory {
  const deleted = new Set(past.deleted);
  if (deleted.size === 0) return past;
  return { ...past, turns: past.turns.flatMap((turn) => withoutQuestions(turn, deleted) ?? []) };
}

/** Builds the prompt, with as much history as the settings and the model allow. */
export async function fitPrompt(
  input: QuestionInput,
  prepared: PreparedQuestion,
  { chat, settings }: Pick<ChatContext, 'chat' | 'settings'>,
): Promise<FittingPrompt> {
  const { context: modelContext } = await chat.modelFacts(input.model);
  const definitions = prepared.tools(0).map(({ definition }) => definition);
  // The tokens of everything but the history. They do not change when the history is shortened.
  const rest = estimateMaxUsage({
    prompt: toPrompt(input, prepared, [], settings.systemPrompt),
    tools: definitions,
    maxTokens: 0,
  });
  const window = fitWindowToModel(settings.window, modelContext, rest.promptTokens, settings.maxTokens);
  let history = trimHistory(input.past.turns, window);
  const messages = (): PromptMessage[] => toPrompt(input, prepared, history, settings.systemPrompt);
  return {
    get history() {
      return history;
    },
    messages,
    shorten() {
      if (history.length === 0) return undefined;
      history = takeNewestQuarter(history);
      return messages();
    },
  };
}

function toPrompt(
  input: QuestionInput,
  prepared: PreparedQuestion,
  history: ThreadHistory['turns'],
  system: string,
): PromptMessage[] {
  const { mergedQuestions, contextLines, isBeforeUnread, prefix } = input;
  const before = formatContext(contextLines) ?? (isBeforeUnread ? CONTEXT_UNREADABLE_NOTE : undefined);
  const ownWords = withThreadContext(before, questionText({ question: prepared.question, mergedQuestions }));
  const { person, channel } = prepared.facts;
  // Last: up to here, the next prompt of the thread repeats this one, and the upstream may have cached it.
  const words =
    person.length + channel.length > 0 ? `${ownWords}\n\n${formatFacts(prepared.facts)}` : ownWords;
  const { images } = prepared;
  const content = images.length > 0 ? [{ type: 'text' as const, text: words }, ...images] : words;
  const prompt = buildPrompt(system, history, content);
  if (!prefix) return prompt;
  return [...prompt, { role: 'assistant', content: prefix }, { role: 'user', content: CONTINUE_PROMPT }];
}

const CONTINUE_PROMPT = 'Go on exactly where you stopped. Do not repeat anything.';

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
