const START = '<think>';
const END = '</think>';
/** The most white space before the start tag. */
export const MAX_SPACE = 64;

/** A part of an answer, divided into its reasoning and its text. */
export type DividedText = { readonly reasoning: string; readonly text: string };

/**
 * Divides an answer that begins with `<think>` into its reasoning, up to `</think>`, and its text. Servers without a parser for the model's
 * reasoning send it so: vLLM, llama.cpp, Ollama. Takes the parts of the answer in order, however the tags are cut. Holds back at most
 * the white space and a part of a tag. A tag within the text stays.
 * `startsInReasoning`: the start tag is in the prompt, so that the answer has the end tag only (see `splitAtEndTag`).
 */
export class ThinkTags {
  #state: 'start' | 'reasoning' | 'space' | 'text' = 'start';
  /** What may be a part of a tag. */
  #incomplete = '';
  #hasReasoning = false;
  readonly #startsInReasoning: boolean;

  constructor(startsInReasoning = false) {
    this.#startsInReasoning = startsInReasoning;
  }

  /** Whether the reasoning has begun, and no end tag came yet. */
  get isOpen(): boolean {
    return this.#state === 'reasoning';
  }

  /** Divides the next part. */
  add(part: string): DividedText {
    if (this.#state === 'text') return { reasoning: '', text: part };
    const received = this.#incomplete + part;
    this.#incomplete = '';
    if (this.#state === 'start') return this.#readStart(received);
    return this.#state === 'reasoning' ? this.#readReasoning(received) : this.#skipSpace(received);
  }

  /** Returns what was held back, at the end of the answer. */
  end(): DividedText {
    const incomplete = this.#incomplete;
    this.#incomplete = '';
    return this.isOpen ? { reasoning: incomplete, text: '' } : { reasoning: '', text: incomplete };
  }

  #readStart(received: string): DividedText {
    const tag = received.trimStart();
    const isAtStart = received.length - tag.length <= MAX_SPACE;
    if (isAtStart && tag.startsWith(START)) {
      this.#state = 'reasoning';
      return this.#readReasoning(tag.slice(START.length));
    }
    if (isAtStart && START.startsWith(tag)) {
      this.#incomplete = received;
      return { reasoning: '', text: '' };
    }
    this.#state = this.#startsInReasoning ? 'reasoning' : 'text';
    return this.#startsInReasoning ? this.#readReasoning(received) : { reasoning: '', text: received };
  }

  #readReasoning(received: string): DividedText {
    const end = received.indexOf(END);
    if (end < 0) {
      const length = received.length - countTagStart(received);
      this.#incomplete = received.slice(length);
      return { reasoning: this.#skipFirstSpace(received.slice(0, length)), text: '' };
    }
    this.#state = 'space';
    const { text } = this.#skipSpace(received.slice(end + END.length));
    return { reasoning: this.#skipFirstSpace(received.slice(0, end)), text };
  }

  /** A model that does not reason may send tags with nothing but white space. */
  #skipFirstSpace(part: string): string {
    const reasoning = this.#hasReasoning ? part : part.trimStart();
    this.#hasReasoning ||= reasoning !== '';
    return reasoning;
  }

  /** Leaves out the white space between reasoning and text. */
  #skipSpace(received: string): DividedText {
    const text = received.trimStart();
    if (text !== '') this.#state = 'text';
    return { reasoning: '', text };
  }
}

/** Returns how many characters at the end can be the start of the end tag. */
function countTagStart(text: string): number {
  const start = text.lastIndexOf('<');
  const tail = start < 0 ? '' : text.slice(start);
  return END.startsWith(tail) ? tail.length : 0;
}

/**
 * Divides a whole answer without a start tag at an end tag on a line of its own. Some templates end the prompt with the start tag (Qwen3 Thinking,
 * QwQ, DeepSeek R1), and servers without a parser send what follows. A tag in a code block is an example. Undefined for any other answer.
 */
export function splitAtEndTag(answer: string): DividedText | undefined {
  const match = findEndTag(answer);
  if (match === undefined || answer.slice(0, match.index).includes(START)) return undefined;
  const text = answer.slice(match.index + match[0].length).trimStart();
  return { reasoning: answer.slice(0, match.index), text };
}

/** Finds the first end tag on a line of its own outside of code blocks. */
function findEndTag(answer: string): RegExpExecArray | undefined {
  let fence = '';
  for (const line of answer.matchAll(/^[ \t]*(?:<\/think>[ \t]*|(`{3,}(?!.*`)|~{3,})(.*))$/gmu)) {
    const [, marks, rest = ''] = line;
    if (marks === undefined) {
      if (fence === '') return line;
    } else if (fence === '') fence = marks;
    else if (marks.startsWith(fence) && rest.trim() === '') fence = '';
  }
  return undefined;
}

/** Returns a whole answer without its reasoning. Without an end tag all of it is the answer. */
export function removeReasoning(answer: string): string {
  const divided = splitAtEndTag(answer);
  if (divided !== undefined) return divided.text;
  const tags = new ThinkTags();
  const { text } = tags.add(answer);
  return tags.isOpen ? answer : text + tags.end().text;
}

/** Returns the text of a whole answer whose end tag is missing: people see what the model sent, rather than nothing. `hasNoTag`: nor was there a start tag. */
export const joinUnended = (reasoning: string, hasNoTag: boolean): string =>
  hasNoTag ? reasoning : `${START} ${reasoning}`.trimEnd();
