import { isAlphanumeric, type Span, type TextReader } from './text-reader.ts';

/** RFC 5321, section 4.5.3.1. */
const MAX_LOCAL_PART = 64;
const MAX_DOMAIN = 253;
/** Letters of scripts that put spaces between words. */
const LETTER = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}`;
const LOCAL_CHARACTER = new RegExp(String.raw`^[${LETTER}\d.!#$%&'*+=?^_{}~-]$`, 'u');
const DOMAIN_CHARACTER = new RegExp(String.raw`^[${LETTER}\d.-]$`, 'u');
/** At least two labels; the last one has letters only. `@2x.png` is the name of a picture. */
const DOMAIN = new RegExp(
  String.raw`^(?!\dx\.)[${LETTER}\d](?:[${LETTER}\d-]*\.)+(?:xn--[a-z\d-]+|[${LETTER}]{2,63})`,
  'iu',
);

/** Finds e-mail addresses. `git@github.com` is none: it is the address of a server. */
export function findEmails(reader: TextReader): Span[] {
  const spans: Span[] = [];
  const { text } = reader;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const end = readDomain(reader, at + 1);
    const start = end === undefined ? at : readLocalPart(reader, at);
    if (end === undefined || start === at || text.slice(start, at) === 'git') continue;
    spans.push({ kind: 'email', start, end });
  }
  reader.count(text.length);
  return spans;
}

function readLocalPart(reader: TextReader, at: number): number {
  let start = at;
  while (at - start < MAX_LOCAL_PART && LOCAL_CHARACTER.test(reader.at(start - 1))) start -= 1;
  // Quotation marks and other punctuation before an address are not part of it.
  while (start < at && !isWordCharacter(reader.at(start))) start += 1;
  return start;
}

const isWordCharacter = (character: string): boolean =>
  isAlphanumeric(character) || character === '_' || character > '\u007f';

/** Returns the end of the domain behind an `@`; undefined if there is none. */
function readDomain(reader: TextReader, from: number): number | undefined {
  let end = from;
  while (end - from < MAX_DOMAIN && DOMAIN_CHARACTER.test(reader.at(end))) end += 1;
  reader.count(end - from);
  const [domain] = DOMAIN.exec(reader.text.slice(from, end)) ?? [];
  return domain === undefined ? undefined : from + domain.length;
}
