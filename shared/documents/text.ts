import { oldEncodingOf } from './legacy-encodings.ts';

/** How much of a file decides whether it is text in an old encoding. */
const SAMPLE = 64 * 1024;

/** Decoded at once: a file becomes text piece by piece, so that a long one takes no more memory than what is kept of it. */
const PIECE = 64 * 1024;
/** The longest escape that sets a colour; what begins like one and is longer is left as it is. */
const MAX_ESCAPE_LENGTH = 64;

/** The beginning of a text, and how many characters are left out after it. */
export type TextStart = { readonly text: string; readonly left: number };

/**
 * The first `most` characters of a file, or undefined if it does not hold text: UTF-8, strictly; UTF-16 where a mark says so, or every other
 * byte is zero; an old encoding of East Asia where it looks like one; else Windows-1252, if nothing in it is unprintable. Lines end in `\n`; terminal colours are gone.
 */
export function textOf(bytes: Uint8Array, most: number): TextStart | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return strictly('utf-16le', bytes, most);
  if (first === 0xfe && second === 0xff) return strictly('utf-16be', bytes, most);
  if (isUtf16(bytes)) return strictly('utf-16le', bytes, most);
  return strictly('utf-8', bytes, most) ?? old(bytes, most);
}

/** What no text holds, save tabs, the ends of lines and pages, and what is left of a terminal's doings. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const UNPRINTABLE = /[\u0000-\u0007\u000E-\u001A\u001C-\u001F]/u;
/** Not characters of Windows-1252. */
const UNUSED = /[\u0081\u008D\u008F\u0090\u009D]/u;

/** Text of Europe in UTF-16 as Windows writes it: most second bytes are zero, which no other text holds. */
function isUtf16(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  if (bytes.byteLength < 4 || bytes.byteLength % 2 === 1) return false;
  const zeros = sample.filter((byte, at) => byte === 0 && at % 2 === 1).length;
  return zeros > sample.byteLength / 3 && !sample.some((byte, at) => byte === 0 && at % 2 === 0);
}

function strictly(encoding: string, bytes: Uint8Array, most: number): TextStart | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let text = '';
  let length = 0;
  /** What may go on in the next piece: half of a line's end, half of an escape. */
  let rest = '';
  try {
    for (let at = 0; at < bytes.byteLength; at += PIECE) {
      const stream = at + PIECE < bytes.byteLength;
      const piece = rest + decoder.decode(bytes.subarray(at, at + PIECE), { stream });
      if (UNPRINTABLE.test(piece)) return undefined;
      rest = stream ? openEnd(piece) : '';
      const plain = plainOf(piece.slice(0, piece.length - rest.length));
      length += plain.length;
      if (text.length < most) text += plain.slice(0, most - text.length);
    }
  } catch {
    return undefined;
  }
  // No character is cut in two.
  const last = length > most ? text.charCodeAt(text.length - 1) : 0;
  const kept = last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
  return { text: kept, left: length - kept.length };
}

// eslint-disable-next-line no-control-regex -- the escape that begins a terminal's colours
const ESCAPES = /\u001B\[[\d;]*[A-Za-z]/gu;
const plainOf = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(ESCAPES, '');

// eslint-disable-next-line no-control-regex -- the same, as far as it has come
const OPEN_END = /(?:\r|\u001B(?:\[[\d;]*)?)$/u;
const openEnd = (piece: string): string => OPEN_END.exec(piece.slice(-MAX_ESCAPE_LENGTH))?.[0] ?? '';

function old(bytes: Uint8Array, most: number): TextStart | undefined {
  const encoding = oldEncodingOf(bytes.subarray(0, SAMPLE));
  const eastern = encoding === undefined ? undefined : strictly(encoding, bytes, most);
  if (eastern !== undefined) return eastern;
  const sample = new TextDecoder('windows-1252').decode(bytes.subarray(0, SAMPLE));
  if (UNUSED.test(sample) || UNPRINTABLE.test(sample)) return undefined;
  return strictly('windows-1252', bytes, most);
}
