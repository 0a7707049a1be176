import { isAlphanumeric, isDigit, type Span, TextReader } from './text-reader.ts';

/** What a pattern has at a place: a digit, a letter, a run of letters and digits, or a certain character. */
type Element =
  | { readonly kind: 'digit' | 'letter' | 'run' }
  | { readonly kind: 'character'; readonly character: string };

/** A pattern of administrators, such as `EMP-####`. */
export type CustomPattern = readonly Element[];

const WILDCARDS = new Map<string, Element>([
  ['#', { kind: 'digit' }],
  ['?', { kind: 'letter' }],
  ['*', { kind: 'run' }],
]);

/**
 * Parses patterns, which semicolons or line breaks separate: `#` is a digit, `?` a letter, `*` one or more letters and digits, `\` before one
 * of these the character itself; everything else stands for itself, in any case. There is no choice and no repetition of groups, so that a
 * search never has to go back.
 */
export const parseCustomPatterns = (text: string): readonly CustomPattern[] =>
  text
    .split(/[;\n]/u)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map(parsePattern);

function parsePattern(text: string): CustomPattern {
  const simple = new TextReader(text).text;
  const elements: Element[] = [];
  for (let place = 0; place < simple.length; place += 1) {
    const isEscaped = simple.charAt(place) === '\\' && place + 1 < simple.length;
    if (isEscaped) place += 1;
    const character = simple.charAt(place);
    const wildcard = isEscaped ? undefined : WILDCARDS.get(character);
    elements.push(wildcard ?? { kind: 'character', character: character.toLowerCase() });
  }
  return elements;
}

/** Finds what fits the patterns and is not part of a longer word. Words of scripts without spaces have no bounds. */
export function findCustom(reader: TextReader, patterns: readonly CustomPattern[]): Span[] {
  const spans: Span[] = [];
  for (let start = 0; patterns.length > 0 && start < reader.text.length; start += 1) {
    const isWithinWord = isAlphanumeric(reader.at(start)) && isAlphanumeric(reader.at(start - 1));
    if (isWithinWord) continue;
    const ends = patterns.flatMap((pattern) => readPattern(reader, start, pattern) ?? []);
    if (ends.length === 0) continue;
    const end = Math.max(...ends);
    spans.push({ kind: 'custom', start, end });
    start = end - 1;
  }
  return spans;
}

/** Returns the end of what fits a pattern; undefined if it does not fit. */
function readPattern(reader: TextReader, start: number, pattern: CustomPattern): number | undefined {
  let place = start;
  for (const element of pattern) {
    const end = readElement(reader, place, element);
    if (end === place) return undefined;
    place = end;
  }
  const isWithinWord = isAlphanumeric(reader.at(place)) && isAlphanumeric(reader.at(place - 1));
  return isWithinWord || place === start ? undefined : place;
}

function readElement(reader: TextReader, place: number, element: Element): number {
  const character = reader.at(place);
  switch (element.kind) {
    case 'digit':
      return place + Number(isDigit(character));
    case 'letter':
      return place + Number(isLetter(character));
    case 'character':
      return place + Number(character.toLowerCase() === element.character);
    case 'run': {
      let end = place;
      while (isWordCharacter(reader.at(end))) end += 1;
      return end;
    }
  }
}

const isLetter = (character: string): boolean => /^\p{L}$/u.test(character);
const isWordCharacter = (character: string): boolean => isAlphanumeric(character) || isLetter(character);
