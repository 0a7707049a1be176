import { isAlphanumeric, isDigit, type Span, type TextReader } from './text-reader.ts';

/** ITU-T E.164 allows 15 digits. Shorter numbers than nine digits are rare, and look like other numbers. */
const MIN_DIGITS = 9;
const MAX_DIGITS = 15;
/** As in North America, also with a 1 before it: `(415) 555-2671`, `415-555-2671`, `415.555.2671`, `415 555-2671`, `415/555-2671`, `1-800-555-0199`. */
const NORTH_AMERICAN =
  /^(?:1(?:[-. ]?(?=\()|[-. ]))?(?:\([2-9]\d\d\)[-. ]?[2-9]\d\d[-. ]|[2-9]\d\d(?:([-.])[2-9]\d\d\1|[ /][2-9]\d\d-))\d{4}(?!\d)/u;
/** With spaces alone it is one only where no other number is beside it: `415 555 2671`. In a row of numbers it would be three of them. */
const SPACED = /^(?:1[- ])?[2-9]\d\d [2-9]\d\d \d{4}(?! ?\d)/u;
/** The longest one, and two characters behind it. */
const NORTH_AMERICAN_LENGTH = 18;

/** Finds phone numbers in international form, `+49 30 1234567`, and in that of North America. Others look like any number. */
export function findPhones(reader: TextReader): Span[] {
  const spans: Span[] = [];
  for (let place = 0; place < reader.text.length; place += 1) {
    const character = reader.at(place);
    if (character !== '+' && character !== '(' && !isDigit(character)) continue;
    const before = reader.at(place - 1);
    const isWithinWord = isAlphanumeric(before) || before === '+' || before === '.' || before === '-';
    const end = isWithinWord
      ? undefined
      : character === '+'
        ? readInternational(reader, place)
        : readNorthAmerican(reader, place);
    if (end === undefined) continue;
    spans.push({ kind: 'phone', start: place, end });
    place = end - 1;
  }
  return spans;
}

function readInternational(reader: TextReader, from: number): number | undefined {
  let place = from + 1;
  let end = place;
  let digits = 0;
  if (reader.at(place) === '0') return undefined;
  for (let separators = 0; separators <= 2;) {
    const character = reader.at(place);
    if (isDigit(character)) {
      [separators, digits, end] = [0, digits + 1, place + 1];
      if (digits > MAX_DIGITS) return undefined;
    } else if (digits > 0 && /^[ \-.()/]$/u.test(character)) separators += 1;
    else break;
    place += 1;
  }
  return digits >= MIN_DIGITS && !isAlphanumeric(reader.at(end)) ? end : undefined;
}

function readNorthAmerican(reader: TextReader, from: number): number | undefined {
  reader.count(NORTH_AMERICAN_LENGTH);
  const text = reader.text.slice(from, from + NORTH_AMERICAN_LENGTH);
  const isBesideNumber = reader.at(from - 1) === ' ' && isDigit(reader.at(from - 2));
  const [number] = NORTH_AMERICAN.exec(text) ?? (isBesideNumber ? undefined : SPACED.exec(text)) ?? [];
  return number === undefined ? undefined : from + number.length;
}
