/** What people told the assistant, read out of what they wrote. */
export type Memory = {
  /** The messages of people before the question, oldest first. */
  readonly messages: readonly string[];
  /** What the assistant answered, oldest first. */
  readonly answered: readonly string[];
  readonly name: string | undefined;
  /** `my cat` -> `Tom`, `the deadline` -> `Friday`, as told last. */
  readonly facts: ReadonlyMap<string, Fact>;
  /** Things to remember, word for word. */
  readonly notes: readonly string[];
};

export type Fact = { readonly subject: string; readonly verb: string; readonly value: string };

/** Behind its first word, only words with a capital letter belong to the name. */
const NAME =
  /\b(?:[Mm]y name is|[Mm]y name['’]s|[Ii] am called|[Cc]all me)\s+(\p{L}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*){0,2})/u;
const I_AM = /\b(?:I am|I'm|I’m)\s+(\p{Lu}[\p{L}'’-]+)(?=\s*(?:[.,!;]|and\b|$))/u;
const FACT =
  /(?:^|[.!;,:\n]\s*|\b(?:and|that|but|so)\s+)((?:my|our|the|this)\s+[\p{L}\p{N}][\p{L}\p{N}'’ -]{0,40}?)\s+(is|are|was|were)\s+([^.!?;\n]{1,160})/giu;
const NOTE =
  /\b(?:remember|note|keep in mind|don't forget|do not forget)(?:\s+that|\s*:)?\s+([^\n]{2,300})/iu;
const QUESTION =
  /^(?:what|who|where|when|which|why|how|do|does|did|is|are|can|could|would|will|tell me)\b|\?\s*$/iu;

/** Reads the memory of a conversation. Statements tell; questions do not. */
export function remember(
  messages: readonly string[],
  answered: readonly string[] = [],
  folded: readonly string[] = [],
): Memory {
  const facts = new Map<string, Fact>();
  const notes: string[] = [];
  let name: string | undefined;
  for (const text of [...folded, ...messages]) {
    name = NAME.exec(text)?.[1] ?? I_AM.exec(text)?.[1] ?? name;
    const note = NOTE.exec(text)?.[1];
    if (note !== undefined && !isQuestion(text)) notes.push(trimEnd(note));
    for (const sentence of sentences(text)) {
      if (!isQuestion(sentence)) collect(sentence, facts);
    }
  }
  return { messages, answered, name, facts, notes };
}

function collect(sentence: string, facts: Map<string, Fact>): void {
  for (const clause of sentence.split(/,?\s+(?:and|but)\s+(?=(?:my|our|the|this|i|it)\b)/iu)) {
    for (const [, subject = '', verb = 'is', value = ''] of clause.matchAll(FACT)) {
      facts.set(keyOf(subject), { subject: subject.trim(), verb: verb.toLowerCase(), value: trimEnd(value) });
    }
  }
}

/** `My Cat` and `the cat` ask for the same fact. */
export function keyOf(subject: string): string {
  return subject
    .toLowerCase()
    .replace(/^(?:my|our|your|the|this)\s+/u, '')
    .replace(/[’]/gu, "'")
    .trim();
}

export function sentences(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|\n+/u).filter(Boolean);
}

export function isQuestion(text: string): boolean {
  return QUESTION.test(text.trim());
}

function trimEnd(text: string): string {
  return text.replace(/[\s.!,;]+$/u, '');
}

const STOP_WORDS = new Set(
  `a about again ago all also am an and any are as ask asked at be been before but by can could did do does earlier
  ever for from get give go had has have he her him his how i if in is it its just know last let like many may me
  mine more much must my name need no not now of on or our out please said say she should so some tell than thank
  thanks that the their them then there these they thing this those to told too us use very want was we were what
  when where which who why will with would yes you your`.split(/\s+/u),
);

/** The words of a text that say what it is about, cut to their stems in a rough way. */
export function keywords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)).map(stem));
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ies|es|ed|s)$/u, '') : word;
}

/** The latest earlier statement that shares the most keywords with a question. */
export function recall(memory: Memory, question: string): string | undefined {
  const queryWords = keywords(question);
  let best: { text: string; shared: number } | undefined;
  for (const text of memory.messages.flatMap(sentences)) {
    if (isQuestion(text)) continue;
    const shared = [...keywords(text)].filter((word) => queryWords.has(word)).length;
    if (shared > 0 && shared >= (best?.shared ?? 0)) best = { text, shared };
  }
  return best?.text;
}
