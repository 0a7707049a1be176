import { isQuestion, keywords, sentences } from './memory.ts';

/** A sentence of a text, who said it, and where. */
type Said = {
  readonly who: string;
  readonly text: string;
  readonly at: number;
  /** The number of its line, where lines have one. */
  readonly line: string | undefined;
};

/** The most that is quoted for the summary itself. */
const MAX = 5;
const MAX_LENGTH = 240;
/** Words in a row that stand for a sentence where nobody wrote a full stop. */
const WORDS_IN_A_ROW = 14;

const SPEAKER = /^(?:\[[\d:.]+\]\s*)?(?<who>\p{L}[\p{L}\p{N} .'’_-]{0,39}):\s+(?<text>\S.*)$/u;
/** A message of a thread or channel, with its number: `[3] 21/11/2026, 18:00 Ada (in a thread): Yes.` */
const NUMBERED =
  /^\[(?<line>\d+)\] [\d/]+, [\d:]+ (?<who>[^:]{1,80}?)(?: \(in a thread\))?: (?<text>[\s\S]*)$/u;
/** A line of notes on such messages, and what stands between them. */
const NOTED = /^- (?:\*\*(?<who>[^*]+)\*\*: )?(?<text>.*) \[(?<line>\d+)\]$/u;
const BETWEEN_NOTES = /^(?:Part \d+:|\*\*[^*]+\*\*|_.* quoted: .*_)$/u;
const DECIDED =
  /\b(?:decid\w+|agree[ds]?|settled|chose|chosen|we will|we'll|let's|we go with|deadline|must)\b/iu;

/**
 * Sums a text up by quoting it: the sentences whose words come up most, then what was decided and what stayed open. Says
 * nothing that is not in the text.
 */
export function summaryOf(text: string): string {
  const statements = text
    .split('\n')
    .flatMap(lineOf)
    .map((one, at) => ({ ...one, at }));
  const open = statements.filter((one) => /\?\s*$/u.test(one.text) && isQuestion(one.text));
  const decided = statements.filter((one) => DECIDED.test(one.text) && !open.includes(one));
  const rest = statements.filter((one) => !open.includes(one) && !decided.includes(one));
  const main = telling(rest.length > 0 ? rest : statements, statements);
  const parts = [
    list('In short', main),
    list('Decided', decided.slice(-MAX)),
    list('Open', open.slice(-MAX)),
  ];
  const quoted = new Set([...main, ...decided, ...open]).size;
  return `${parts.filter(Boolean).join('\n\n')}\n\n_${quoted} of ${statements.length} sentences, quoted: the practice model finds what comes up most, and understands nothing._`;
}

function lineOf(rawLine: string): Omit<Said, 'at'>[] {
  const trimmed = rawLine.trim();
  if (BETWEEN_NOTES.test(trimmed)) return [];
  const {
    who = '',
    line,
    text = trimmed.replace(/^(?:[-*•]|\d+[.)])\s+/u, ''),
  } = (NUMBERED.exec(trimmed) ?? NOTED.exec(trimmed) ?? SPEAKER.exec(trimmed))?.groups ?? {};
  return sentences(text.trim())
    .flatMap(inRows)
    .map((one) => ({ who, line, text: one.trim() }));
}

/** Speech has no full stops. */
function inRows(sentence: string): string[] {
  const words = sentence.split(/\s+/u);
  if (words.length <= 2 * WORDS_IN_A_ROW) return [sentence];
  const rows: string[] = [];
  for (let at = 0; at < words.length; at += WORDS_IN_A_ROW)
    rows.push(words.slice(at, at + WORDS_IN_A_ROW).join(' '));
  return rows;
}

/** Those whose words come up most in the whole, in their order: about a third, at most five. */
function telling(some: readonly Said[], all: readonly Said[]): Said[] {
  const counts = new Map<string, number>();
  for (const { text } of all)
    for (const word of keywords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = ({ text }: Said): number => {
    const words = [...keywords(text)];
    const sum = words.reduce((total, word) => total + (counts.get(word) ?? 0) - 1, 0);
    return words.length === 0 ? -1 : sum / Math.sqrt(words.length);
  };
  const maxLines = Math.min(MAX, Math.max(2, Math.ceil(some.length / 3)));
  return some
    .map((one) => ({ one, weight: weight(one) }))
    .toSorted((a, b) => b.weight - a.weight || a.one.at - b.one.at)
    .slice(0, maxLines)
    .map(({ one }) => one)
    .toSorted((a, b) => a.at - b.at);
}

function list(title: string, statements: readonly Said[]): string {
  if (statements.length === 0) return '';
  const points = statements.map(({ who, text, line }) => {
    const cited = line === undefined ? '' : ` [${line}]`;
    return `- ${who === '' ? '' : `**${who}**: `}${cut(text)}${cited}`;
  });
  return `**${title}**\n\n${points.join('\n')}`;
}

const cut = (text: string): string =>
  text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1).toWellFormed()}…`;
