import { detectLegacyEncoding } from './legacy-encodings.ts';

/** The part of a file that decides whether it is text in a legacy encoding. */
const SAMPLE_BYTES = 64 * 1024;

/** Bytes decoded at once, so that a long file needs only the memory of the kept text. */
const BLOCK_BYTES = 64 * 1024;
/** Maximum length of an escape sequence; a longer one is kept as text. */
const MAX_ESCAPE_LENGTH = 64;

/** The start of a text, and the number of characters left out after it. */
export type TextStart = { readonly text: string; readonly omitted: number };

/**
 * Decodes the first `maxLength` characters of a file; undefined if it is not text. Tries strict UTF-8; UTF-16 with a byte order
 * mark or with zeros as every second byte; East Asian legacy encodings; else Windows-1252 without unprintable characters.
 * Normalizes line ends to `\n` and removes terminal colours.
 */
export function decodeText(bytes: Uint8Array, maxLength: number): TextStart | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeStrictly('utf-16le', bytes, maxLength);
  if (first === 0xfe && second === 0xff) return decodeStrictly('utf-16be', bytes, maxLength);
  if (isUtf16(bytes)) return decodeStrictly('utf-16le', bytes, maxLength);
  return decodeStrictly('utf-8', bytes, maxLength) ?? decodeLegacy(bytes, maxLength);
}

/** Control characters other than tabs, line ends, page breaks and terminal control. */
// oxlint-disable-next-line no-control-regex -- the pattern finds them
const UNPRINTABLE = /[\u0000-\u0007\u000E-\u001A\u001C-\u001F]/u;
/** Unassigned in Windows-1252. */
const UNASSIGNED = /[\u0081\u008D\u008F\u0090\u009D]/u;

/** UTF-16 without a byte order mark, in a European language: most second bytes are zero, unlike in any other text. */
function isUtf16(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (bytes.byteLength < 4 || bytes.byteLength % 2 === 1) return false;
  const zeros = sample.filter((byte, at) => byte === 0 && at % 2 === 1).length;
  return zeros > sample.byteLength / 3 && !sample.some((byte, at) => byte === 0 && at % 2 === 0);
}

function decodeStrictly(encoding: string, bytes: Uint8Array, maxLength: number): TextStart | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let text = '';
  let length = 0;
  /** The end of a block that may continue in the next one: half of a line end or of an escape sequence. */
  let rest = '';
  try {
    for (let at = 0; at < bytes.byteLength; at += BLOCK_BYTES) {
      const hasMore = at + BLOCK_BYTES < bytes.byteLength;
      const block = rest + decoder.decode(bytes.subarray(at, at + BLOCK_BYTES), { stream: hasMore });
      if (UNPRINTABLE.test(block)) return undefined;
      rest = hasMore ? getOpenEnd(block) : '';
      const plain = normalize(block.slice(0, block.length - rest.length));
      length += plain.length;
      if (text.length < maxLength) text += plain.slice(0, maxLength - text.length);
    }
  } catch {
    return undefined;
  }
  // Do not split a surrogate pair.
  const last = length > maxLength ? text.charCodeAt(text.length - 1) : 0;
  const complete = last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
  return { text: complete, omitted: length - complete.length };
}

// oxlint-disable-next-line no-control-regex -- the escape character of terminal colors
const ESCAPES = /\u001B\[[\d;]*[A-Za-z]/gu;
const normalize = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(ESCAPES, '');

// oxlint-disable-next-line no-control-regex -- an incomplete escape sequence
const OPEN_END = /(?:\r|\u001B(?:\[[\d;]*)?)$/u;
const getOpenEnd = (block: string): string => OPEN_END.exec(block.slice(-MAX_ESCAPE_LENGTH))?.[0] ?? '';

function decodeLegacy(bytes: Uint8Array, maxLength: number): TextStart | undefined {
  const encoding = detectLegacyEncoding(bytes.subarray(0, SAMPLE_BYTES));
  const eastAsianText = encoding === undefined ? undefined : decodeStrictly(encoding, bytes, maxLength);
  if (eastAsianText !== undefined) return eastAsianText;
  const sample = new TextDecoder('windows-1252').decode(bytes.subarray(0, SAMPLE_BYTES));
  if (UNASSIGNED.test(sample) || UNPRINTABLE.test(sample)) return undefined;
  return decodeStrictly('windows-1252', bytes, maxLength);
}
