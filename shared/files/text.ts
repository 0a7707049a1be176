import { oldEncodingOf } from './old-encodings.ts';

/** How much of a file decides whether it is text in an old encoding. */
const SAMPLE = 64 * 1024;

/**
 * The words of a file, or undefined if it does not hold text: UTF-8, strictly; UTF-16 where a mark says so, or every other
 * byte is zero; an old encoding of East Asia where it looks like one; else Windows-1252, if nothing in it is unprintable. Lines end in `\n`; terminal colours are gone.
 */
export function textOf(bytes: Uint8Array): string | undefined {
  const text = decoded(bytes);
  if (text === undefined) return undefined;
  // eslint-disable-next-line no-control-regex -- the escape that begins a terminal's colours
  const plain = text.replaceAll('\r\n', '\n').replaceAll(/\u001B\[[\d;]*[A-Za-z]/gu, '');
  return UNPRINTABLE.test(plain) ? undefined : plain;
}

/** What no text holds, save tabs, the ends of lines and pages, and what is left of a terminal's doings. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const UNPRINTABLE = /[\u0000-\u0007\u000E-\u001A\u001C-\u001F]/u;
/** Not characters of Windows-1252. */
const UNUSED = /[\u0081\u008D\u008F\u0090\u009D]/u;

function decoded(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return strictly('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return strictly('utf-16be', bytes);
  if (isUtf16(bytes)) return strictly('utf-16le', bytes);
  return strictly('utf-8', bytes) ?? old(bytes);
}

/** Text of Europe in UTF-16 as Windows writes it: most second bytes are zero, which no other text holds. */
function isUtf16(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  if (bytes.byteLength < 4 || bytes.byteLength % 2 === 1) return false;
  const zeros = sample.filter((byte, at) => byte === 0 && at % 2 === 1).length;
  return zeros > sample.byteLength / 3 && !sample.some((byte, at) => byte === 0 && at % 2 === 0);
}

function strictly(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function old(bytes: Uint8Array): string | undefined {
  const encoding = oldEncodingOf(bytes.subarray(0, SAMPLE));
  const eastern = encoding === undefined ? undefined : strictly(encoding, bytes);
  if (eastern !== undefined) return eastern;
  const sample = new TextDecoder('windows-1252').decode(bytes.subarray(0, SAMPLE));
  if (UNUSED.test(sample) || UNPRINTABLE.test(sample)) return undefined;
  return new TextDecoder('windows-1252').decode(bytes);
}
