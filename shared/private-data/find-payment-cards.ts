import { isAlphanumeric, isDigit, type Span, type TextReader } from './text-reader.ts';

/** Digits that follow each other, and what separates them from the group before. */
type Group = { readonly start: number; readonly end: number; readonly digits: string; readonly gap: string };

/** The longest separation of two groups, such as ` - ` without its last space. */
const MAX_GAP = 2;
const MAX_CARD_DIGITS = 19;
/** How people write the groups of a card number. */
const WRITTEN = new Set(['4,4,4,4', '4,4,4,4,3', '4,6,5', '4,6,4', '6,13']);
/** First digits and lengths of the networks (ISO/IEC 7812): American Express, Diners Club, Visa, Mastercard, Discover, UnionPay, JCB, Maestro. */
const NETWORKS = [
  /^3[47]\d{13}$/u,
  /^3(?:0[0-5]|[689]\d)\d{11}$/u,
  /^4(?:\d{15}|\d{18})$/u,
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/u,
  /^6(?:011\d\d|4[4-9]\d{3}|5\d{4}|2\d{4})(?:\d{10}|\d{13})$/u,
  /^35(?:2[89]|[3-8]\d)\d{12}$/u,
  /^(?:50[0-9]{2}|5[678]\d\d|6304|67\d\d)\d{12}$/u,
];

/**
 * Finds card numbers: of a known network, with a correct check digit (Luhn), and written as one group, in the usual groups, or in other groups
 * that stand alone. One in ten other numbers of such a length has a correct check digit by chance.
 */
export function findPaymentCards(reader: TextReader): Span[] {
  const spans: Span[] = [];
  for (let place = 0; place < reader.text.length; place += 1) {
    if (!isDigit(reader.at(place))) continue;
    const groups = readGroups(reader, place);
    spans.push(...findInGroups(groups, reader));
    place = groups.at(-1)?.end ?? place;
  }
  return spans;
}

/** Reads the groups of digits from a place on, as far as only separators are between them. */
function readGroups(reader: TextReader, from: number): readonly Group[] {
  const groups: Group[] = [];
  let place = from;
  let gap = '';
  for (;;) {
    const start = place;
    while (isDigit(reader.at(place))) place += 1;
    groups.push({ start, end: place, digits: reader.text.slice(start, place), gap });
    const next = skipSeparators(reader, place);
    if (next === place || !isDigit(reader.at(next))) return groups;
    gap = reader.text.slice(place, next).replaceAll(/\s/gu, (space) => (space === '\n' ? '\n' : ' '));
    place = next;
  }
}

function skipSeparators(reader: TextReader, from: number): number {
  let place = from;
  while (place - from < MAX_GAP && /^[ \n\r.\-_/\u00b7]$/u.test(reader.at(place))) place += 1;
  return place;
}

function findInGroups(groups: readonly Group[], reader: TextReader): Span[] {
  const spans: Span[] = [];
  for (let first = 0; first < groups.length; first += 1) {
    const last = findCardFrom(groups, first, reader);
    const [start, end] = [groups[first]?.start, last === undefined ? undefined : groups[last]?.end];
    if (last === undefined || start === undefined || end === undefined) continue;
    spans.push({ kind: 'card', start, end });
    first = last;
  }
  return spans;
}

/** Returns the last group of the card number that begins with a group; undefined if none does. */
function findCardFrom(groups: readonly Group[], first: number, reader: TextReader): number | undefined {
  let digits = '';
  let end: number | undefined;
  for (let last = first; last < groups.length; last += 1) {
    digits += groups[last]?.digits ?? '';
    reader.count(digits.length);
    if (digits.length > MAX_CARD_DIGITS) break;
    if (isCardNumber(digits) && isWrittenAsCard(groups, first, last, reader)) end = last;
  }
  return end;
}

function isWrittenAsCard(groups: readonly Group[], first: number, last: number, reader: TextReader): boolean {
  const window = groups.slice(first, last + 1);
  const [before, after] = [groups[first]?.gap ?? '', groups[last + 1]?.gap ?? ''];
  if (window.length === 1) return before !== '.' && !isPartOfHash(window[0], reader);
  const gaps = window.slice(1).map(({ gap }) => gap);
  const inner = gaps.find((gap) => gap !== '\n') ?? '\n';
  // A line may break once within the number. A column of numbers is none.
  if (inner === '\n' || gaps.filter((gap) => gap !== inner).length > 1) return false;
  if (gaps.some((gap) => gap !== inner && gap !== '\n')) return false;
  const lengths = window.map(({ digits }) => digits.length).join(',');
  if (WRITTEN.has(lengths)) return true;
  const isAlone = before !== inner && after !== inner;
  return isAlone && (/^[ -]{1,2}$/u.test(inner) || window.every(({ digits }) => digits.length === 1));
}

/** The longest word around digits that is read to decide whether it is a hash. */
const MAX_HASH = 32;

/** Whether the digits are within a hexadecimal word, such as the hash of a commit. */
function isPartOfHash(group: Group | undefined, reader: TextReader): boolean {
  if (!group) return false;
  let [start, end] = [group.start, group.end];
  while (group.start - start < MAX_HASH && isAlphanumeric(reader.at(start - 1))) start -= 1;
  while (end - group.end < MAX_HASH && isAlphanumeric(reader.at(end))) end += 1;
  const word = reader.text.slice(start, end);
  return word.length > group.digits.length && /^[\da-f]+$/iu.test(word);
}

/** Whether these digits are a card number: of a known network, with a correct check digit. */
const isCardNumber = (digits: string): boolean =>
  NETWORKS.some((network) => network.test(digits)) && hasLuhnDigit(digits);

/** The check digit of ISO/IEC 7812-1: every second digit from the right is doubled, and the sum of all digits is a multiple of ten. */
function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - place));
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
