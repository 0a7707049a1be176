import { questionText, type ContextLine, type Turn } from './turn.ts';

/** A tool call that the model requests. `arguments` is text that should contain JSON. */
export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Further fields of the server. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
};

/** What came with calls of tools and goes back to the same model with their results, within one answer. Never stored. */
export type CallsOrigin = {
  /** The model that was requested. */
  readonly model: string;
  readonly reasoning: string;
  readonly details?: readonly unknown[] | undefined;
};

/** A part of a user message: text, or an image as a data URI. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'video' | 'audio'; readonly url: string }
  /** WAV or MP3 as base64: the form that most servers accept. */
  | { readonly type: 'input-audio'; readonly base64: string; readonly format: 'wav' | 'mp3' };

/** A part of a prompt that is no text. */
export type MediaPart = Exclude<PromptPart, { readonly type: 'text' }>;

/** Returns the input modality that a model needs for a part of a prompt. */
export const getModality = (part: MediaPart): 'image' | 'video' | 'audio' =>
  part.type === 'input-audio' ? 'audio' : part.type;

export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly PromptPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly origin?: CallsOrigin | undefined;
    }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

/**
 * Builds the prompt: the system prompt, the earlier turns, the question. Nothing before the last message
 * changes between two turns (no date, no name), so that the upstream can cache the prefix.
 */
export function buildPrompt(
  system: string,
  turns: readonly Turn[],
  question: string | readonly PromptPart[],
): PromptMessage[] {
  const history = turns.flatMap((turn): PromptMessage[] => {
    const content = withThreadContext(formatContext(turn.contextLines), questionText(turn));
    // The bot itself answers a mention without text, and some servers reject empty messages.
    if (content.trim() === '') return [];
    const answer = turn.outcome.kind === 'answered' ? turn.outcome.text : FAILED_ANSWER_NOTE;
    return [
      { role: 'user', content },
      { role: 'assistant', content: answer },
    ];
  });
  return [{ role: 'system', content: system }, ...history, { role: 'user', content: question }];
}

/** Formats the earlier messages of a thread for the model; undefined if there are none. */
export const formatContext = (lines: readonly ContextLine[] = []): string | undefined =>
  lines.map(({ author, text }) => `${author}: ${text}`).join('\n') || undefined;

/** Prepends the thread's messages from before the bot was mentioned to a question. */
export function withThreadContext(context: string | undefined, question: string): string {
  return context ? `Said in this thread before you were called:\n${context}\n\n${question}` : question;
}

/** Replaces the earlier messages when the platform does not let the bot read them. */
export const CONTEXT_UNREADABLE_NOTE =
  '(The chat did not let you read what it was. If the question needs it, say that you could not read it.)';

/** Replaces a failed answer. The prompt keeps the question for "try again", and the roles still alternate. */
const FAILED_ANSWER_NOTE = '(I could not answer this.)';

/**
 * Estimates the number of tokens without a tokenizer; rather too many than too few. Measured for prose in ten
 * languages: 0.94 to 1.98 of the real count. Long runs without spaces (links, hashes) count as three bytes per
 * token.
 */
export function estimateTokens(text: string): number {
  let weight = 0;
  for (const word of text.split(/(?<=\s)/u)) {
    weight += word.length > 20 ? Buffer.byteLength(word) / 3 : wordWeight(word);
  }
  return Math.ceil(weight) + TOKENS_PER_MESSAGE;
}

const TOKENS_PER_MESSAGE = 4;

function wordWeight(word: string): number {
  let weight = 0;
  for (const character of word) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) weight += 1 / 3.6;
    else if (code < 0x800) weight += 0.5;
    else weight += code > 0xffff ? 2.2 : 1;
  }
  return weight;
}
