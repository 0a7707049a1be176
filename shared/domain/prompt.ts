import { askedIn, type ContextLine, type Turn } from './turn/turn.ts';

/** The model's wish to have a tool do something; `arguments` is text that should hold JSON. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** A piece of what a person says: words, or a picture as a data URI. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string };

/** A message of a prompt. */
export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly PromptPart[] }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

/**
 * The prompt for a question: the system prompt, the turns before, the question. It holds nothing that changes from one
 * turn to the next (no date, no name) before its last message, so that the upstream can cache the rest.
 */
export function promptFor(
  system: string,
  turns: readonly Turn[],
  question: string | readonly PromptPart[],
): PromptMessage[] {
  const past = turns.flatMap((turn): PromptMessage[] => {
    const asked = withBefore(contextText(turn.contextLines), askedIn(turn));
    // A bare mention was answered by the bot itself, and some servers take no empty message.
    if (asked.trim() === '') return [];
    const answer = turn.ending.kind === 'answered' ? turn.ending.text : UNANSWERED;
    return [
      { role: 'user', content: asked },
      { role: 'assistant', content: answer },
    ];
  });
  return [{ role: 'system', content: system }, ...past, { role: 'user', content: question }];
}

/** What was said before, as the model is told it; undefined for nothing. */
export const contextText = (lines: readonly ContextLine[] = []): string | undefined =>
  lines.map(({ author, text }) => `${author}: ${text}`).join('\n') || undefined;

/** A question with what was said in the thread before the bot was called into it. */
export function withBefore(before: string | undefined, question: string): string {
  return before ? `Said in this thread before you were called:\n${before}\n\n${question}` : question;
}

/** Stands for what was said before where the platform did not let the bot read it. */
export const UNREAD_BEFORE =
  '(The chat did not let you read what it was. If the question needs it, say that you could not read it.)';

/** Stands where an answer failed, so that "try again" still has the question and the roles still alternate. */
const UNANSWERED = '(I could not answer this.)';

/**
 * A rough count of tokens, without a tokenizer: too many rather than too few. Measured at 0.94 to 1.98 of the real
 * count for prose in ten languages; runs without blanks (links, hashes) are counted by three bytes a token.
 */
export function estimateTokens(text: string): number {
  let weight = 0;
  for (const word of text.split(/(?<=\s)/u)) {
    weight += word.length > 20 ? Buffer.byteLength(word) / 3 : wordWeight(word);
  }
  return Math.ceil(weight) + PER_MESSAGE;
}

const PER_MESSAGE = 4;

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
