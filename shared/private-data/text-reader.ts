/**
 * A text in the form in which private data is searched: digits of all scripts and full-width characters as ASCII, dashes as `-`, without
 * invisible characters. Counts how many characters were read, so that a test can show that a search is linear.
 */
export class TextReader {
  readonly text: string;
  /** Characters that were read. */
  reads = 0;
  /** The place in the original of each character, and of the end; undefined if both texts are the same. */
  readonly #offsets: Uint32Array | undefined;

  constructor(original: string) {
    const simplified = HAS_OTHERS.test(original) ? simplify(original) : undefined;
    this.text = simplified?.text ?? original;
    this.#offsets = simplified?.offsets;
  }

  /** The character at a place; empty outside of the text. */
  at(place: number): string {
    this.reads += 1;
    return this.text.charAt(place);
  }

  /** Counts characters that a search reads without `at`. */
  count(characters: number): void {
    this.reads += characters;
  }

  /** The place in the original text. */
  toOriginal(place: number): number {
    return this.#offsets?.[place] ?? place;
  }
}

const HAS_OTHERS = /[^\0-\u007f]/u;
const INVISIBLE = /^[\p{Cf}\p{Mn}\u034f]$/u;
const DASH = /^\p{Pd}$/u;
const DIGIT = /^\p{Nd}$/u;

function simplify(original: string): { readonly text: string; readonly offsets: Uint32Array } {
  const known = new Map<string, string>();
  const offsets = new Uint32Array(original.length + 1);
  let text = '';
  let place = 0;
  for (const character of original) {
    let simple = character;
    if (character > '\u007f') {
      simple = known.get(character) ?? simplifyCharacter(character);
      known.set(character, simple);
    }
    for (let unit = 0; unit < simple.length; unit += 1) offsets[text.length + unit] = place;
    text += simple;
    place += character.length;
  }
  offsets[text.length] = place;
  return { text, offsets };
}

/** Returns one ASCII character for what looks like it, nothing for an invisible character, and otherwise the character. */
function simplifyCharacter(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (DASH.test(character) || character === '\u2212') return '-';
  const folded = character.normalize('NFKC');
  if (folded.length === 1 && folded <= '\u007f') return folded;
  return DIGIT.test(character) ? toDigit(character) : character;
}

/** The digits of a script follow each other from zero to nine. */
function toDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

export const isDigit = (character: string): boolean => character >= '0' && character <= '9';

/** Whether it is an ASCII letter or digit. */
export const isAlphanumeric = (character: string): boolean =>
  isDigit(character) || (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');

/** A kind of private data in a text. */
export type PrivateKind = 'card' | 'key' | 'email' | 'phone' | 'iban' | 'custom';

/** Private data at a place of a text: from `start`, up to but without `end`. */
export type Span = { readonly kind: PrivateKind; readonly start: number; readonly end: number };
