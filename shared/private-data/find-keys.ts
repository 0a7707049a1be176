import { isDiscordToken, JSON_OBJECT, KEY_FORMATS, SECRET_NAME, SECRET_URLS } from './key-formats.ts';
import { isAlphanumeric, type Span, type TextReader } from './text-reader.ts';

/** Finds keys: tokens of well-known formats, private keys, secret addresses, passwords in URLs, and values that are assigned to a secret. */
export const findKeys = (reader: TextReader): Span[] =>
  [
    ...findPrivateKeys(reader),
    ...findTokens(reader),
    ...findSecretUrls(reader),
    ...findUrlPasswords(reader),
    ...findAssignedSecrets(reader),
  ].map((span) => ({ kind: 'key', ...span }));

type Range = Pick<Span, 'start' | 'end'>;

const BEGIN = '-----BEGIN ';
const KEY_HEADER = /^-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u;
const KEY_FOOTER = /^-----END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u;
const MAX_HEADER = 80;
/** The number of characters of base64 with which a key without its last line begins. */
const KEY_CONTENT = /^(?:\s|\\[nr]){0,8}[A-Za-z\d+/=]{16}/u;

/** Finds private keys in PEM. One that is cut off reaches to the end of the text. */
function findPrivateKeys(reader: TextReader): Range[] {
  const { text } = reader;
  const ranges: Range[] = [];
  reader.count(text.length);
  for (let start = text.indexOf(BEGIN); start >= 0;) {
    const [header] = KEY_HEADER.exec(text.slice(start, start + MAX_HEADER)) ?? [];
    reader.count(MAX_HEADER);
    let end = start + BEGIN.length;
    if (header !== undefined) {
      const content = start + header.length;
      const footer = text.indexOf('-----END ', content);
      const [last] = footer < 0 ? [] : (KEY_FOOTER.exec(text.slice(footer, footer + MAX_HEADER)) ?? []);
      reader.count((footer < 0 ? text.length : footer) - content);
      if (footer >= 0) end = footer + (last?.length ?? 0);
      else if (KEY_CONTENT.test(text.slice(content, content + MAX_HEADER))) end = text.length;
      if (end > content) ranges.push({ start, end });
      // There is no footer further on either.
      if (footer < 0) break;
    }
    start = text.indexOf(BEGIN, end);
  }
  return ranges;
}

/** The first two characters of all prefixes: most words have none of them. */
const BEGINNINGS = new Set(
  KEY_FORMATS.flatMap(({ prefixes }) => prefixes.map((prefix) => prefix.slice(0, 2))),
);

/** Finds tokens of well-known formats. They begin where a word begins. */
function findTokens(reader: TextReader): Range[] {
  const ranges: Range[] = [];
  for (let place = 0; place < reader.text.length; place += 1) {
    const before = reader.at(place - 1);
    if (!isAlphanumeric(reader.at(place)) || isAlphanumeric(before)) continue;
    const isDottedWord = before !== '-' && before !== '_';
    const end = readKnownFormat(reader, place) ?? (isDottedWord ? readDottedToken(reader, place) : undefined);
    if (end === undefined) continue;
    ranges.push({ start: place, end });
    place = end - 1;
  }
  return ranges;
}

function readKnownFormat(reader: TextReader, from: number): number | undefined {
  if (!BEGINNINGS.has(reader.at(from) + reader.at(from + 1))) return undefined;
  for (const { prefixes, characters, min, isExact } of KEY_FORMATS) {
    const prefix = prefixes.find((one) => reader.text.startsWith(one, from));
    if (prefix === undefined) continue;
    const start = from + prefix.length;
    let end = start;
    while (characters.test(reader.at(end))) end += 1;
    if (isExact ? end - start === min && !isAlphanumeric(reader.at(end)) : end - start >= min) return end;
  }
  return undefined;
}

/** Reads a JSON Web Token or the token of a Discord bot: three parts with dots between them. */
function readDottedToken(reader: TextReader, from: number): number | undefined {
  const starts: number[] = [];
  const lengths: number[] = [];
  let place = from;
  for (;;) {
    const start = place;
    while (/^[\w-]$/u.test(reader.at(place))) place += 1;
    starts.push(start);
    lengths.push(place - start);
    if (lengths.length === 3) break;
    if (reader.at(place) !== '.') return undefined;
    place += 1;
  }
  const [first = 0, second = 0, third = 0] = lengths;
  const isObject = (start = from): boolean => reader.text.startsWith(JSON_OBJECT, start);
  const isWebToken = isObject() && isObject(starts[1]) && first > 10 && second > 10 && third > 15;
  return isWebToken || isDiscordToken(first, second, third) ? place : undefined;
}

const MAX_URL = 512;

function findSecretUrls(reader: TextReader): Range[] {
  const { text } = reader;
  return SECRET_URLS.flatMap((part) => {
    const ranges: Range[] = [];
    reader.count(text.length);
    for (let start = text.indexOf(part); start >= 0; start = text.indexOf(part, start + part.length)) {
      const secret = start + part.length;
      let end = secret;
      while (end - secret < MAX_URL && /^[\w/-]$/u.test(reader.at(end))) end += 1;
      if (end - secret >= 20) ranges.push({ start: secret, end });
    }
    return ranges;
  });
}

/** Finds the password in `scheme://user:password@host`. */
function findUrlPasswords(reader: TextReader): Range[] {
  const { text } = reader;
  const ranges: Range[] = [];
  reader.count(text.length);
  for (let scheme = text.indexOf('://'); scheme >= 0; scheme = text.indexOf('://', scheme + 3)) {
    let colon: number | undefined;
    let place = scheme + 3;
    while (place - scheme < MAX_URL && /^[^\s/?#@<>"']$/u.test(reader.at(place))) {
      if (colon === undefined && reader.at(place) === ':') colon = place;
      place += 1;
    }
    if (colon !== undefined && place > colon + 1 && reader.at(place) === '@')
      ranges.push({ start: colon + 1, end: place });
  }
  return ranges;
}

const MAX_NAME = 40;
const MAX_VALUE = 512;
const MIN_VALUE = 8;

/** Finds values that are assigned to a name such as `password` or `api_key` and look random. */
function findAssignedSecrets(reader: TextReader): Range[] {
  const ranges: Range[] = [];
  for (let place = 0; place < reader.text.length; place += 1) {
    const character = reader.at(place);
    if ((character !== '=' && character !== ':') || !isSecretName(reader, place)) continue;
    const start = skipToValue(reader, place + 1);
    let end = start;
    while (end - start < MAX_VALUE && /^[^\s"'`,;<>()[\]{}]$/u.test(reader.at(end))) end += 1;
    if (isRandom(reader.text.slice(start, end))) ranges.push({ start, end });
    // What is within the value was read.
    place = Math.max(place, end - 1);
  }
  return ranges;
}

function isSecretName(reader: TextReader, end: number): boolean {
  let last = end;
  while (end - last < 3 && /^[\s"'`*\\]$/u.test(reader.at(last - 1))) last -= 1;
  let first = last;
  while (last - first < MAX_NAME && /^[\w-]$/u.test(reader.at(first - 1))) first -= 1;
  return SECRET_NAME.test(reader.text.slice(first, last));
}

/** Skips what may be between the sign and the value: spaces, quotation marks, `Bearer`. */
function skipToValue(reader: TextReader, from: number): number {
  const between = /^[=>\s"'`*\\]{0,5}(?:(?:Bearer|Basic|Token)\s{1,3})?["'`]?/iu;
  reader.count(20);
  const [skipped = ''] = between.exec(reader.text.slice(from, from + 20)) ?? [];
  return from + skipped.length;
}

/** Whether a value looks random: letters with digits, or many different characters. `required` and `$TOKEN` do not. */
function isRandom(value: string): boolean {
  if (value.length < MIN_VALUE || /^(?:[$%]|https?:|\/)/u.test(value)) return false;
  const bits = measureEntropy(value);
  const isMixed = /\d/u.test(value) && /\p{L}/u.test(value);
  return isMixed ? bits >= 2.5 : value.length >= 16 && bits >= 3.5 && !/^\p{L}+$/u.test(value);
}

/** Shannon's entropy in bits per character. */
function measureEntropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => {
    const share = count / value.length;
    return sum - share * Math.log2(share);
  }, 0);
}
