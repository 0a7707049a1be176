import { isAlphanumeric, isDigit, type Span, type TextReader } from './text-reader.ts';

/** ITU-T E.164 allows 15 digits. Shorter numbers than nine digits are rare, and look like other numbers. */
const MIN_DIGITS = 9;
const MAX_DIGITS = 15;
/** As in North America, without the country code: `(415) 555-2671`, `415-555-2671`, `415.555.2671`. */
const NORTH_AMERICAN = /^(?:\([2-9]\d\d\) ?[2-9]\d\d[-.]\d{4}|[2-9]\d\d([-.])[2-9]\d\d\1\d{4})(?!\d)/u;
const NORTH_AMERICAN_LENGTH = 15;

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
  const [number] = NORTH_AMERICAN.exec(reader.text.slice(from, from + NORTH_AMERICAN_LENGTH)) ?? [];
  return number === undefined ? undefined : from + number.length;
}
