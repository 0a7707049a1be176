import type { ChatContext } from '../context.ts';
import {
  buildPrompt,
  CONTEXT_UNREADABLE_NOTE,
  formatContext,
  takeNewestQuarter,
  type PromptMessage,
  questionText,
  trimHistory,
  fitWindowToModel,
  withThreadContext,
} from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';
import { estimateMaxUsage } from '../../billing/index.ts';
import { formatFacts } from '../../facts/index.ts';
import type { PreparedQuestion, QuestionInput } from './prepare-question.ts';

/** A prompt that fits into the context window of the model. */
export type FittingPrompt = {
  /** The turns of the history in the prompt. */
  readonly history: ThreadHistory['turns'];
  messages(): PromptMessage[];
  /** Shortens the history after a context overflow; undefined if there is none left. */
  shorten(): PromptMessage[] | undefined;
};

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
