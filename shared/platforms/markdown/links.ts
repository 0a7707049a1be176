/** Slack's longest address, with room for a title. */
const MAX_LENGTH = 2_100;
const MAX_SHOWN_LENGTH = 80;
const [BACKSLASH, OPEN, CLOSE, DOUBLE, SINGLE] = [0x5c, 0x28, 0x29, 0x22, 0x27];

/** What follows `](`: the destination of a link, no link, or not yet known because more text may follow. */
export type Destination =
  | { readonly kind: 'link'; readonly url: string; readonly length: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

/**
 * Reads the destination of a Markdown link from the character behind `](` on. `length` includes the closing parenthesis. A
 * destination without an end on its line and within 2,100 characters is no link.
 */
export function readDestination(text: string, start: number): Destination {
  const line = text.slice(start, start + MAX_LENGTH).indexOf('\n');
  const end = Math.min(text.length, start + (line < 0 ? MAX_LENGTH : line));
  const open = end === text.length ? ({ kind: 'unknown' } as const) : ({ kind: 'none' } as const);
  let at = start;
  while (at < end && isSpace(text.charCodeAt(at))) at += 1;
  const from = at;
  if (text.charAt(at) === '<') {
    const close = text.slice(at, end).indexOf('>');
    if (close < 0) return open;
    at += close + 1;
  } else {
    at = plainEnd(text, at, end);
  }
  const url = text.slice(from, at).replace(/^<|>$/g, '');
  const closed = titleEnd(text, at, end);
  if (closed === undefined) return { kind: 'none' };
  return closed < 0 ? open : { kind: 'link', url, length: closed + 1 - start };
}

/** The end of a destination without angle brackets: white space, or a closing parenthesis that is not balanced. */
function plainEnd(text: string, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === OPEN) depth += 1;
    else if (code === CLOSE && depth === 0) return at;
    else if (code === CLOSE) depth -= 1;
    else if (isSpace(code)) return at;
  }
  return end;
}

/**
 * The offset of the closing parenthesis behind an optional title; -1 if it may still follow; undefined if something else stands
 * there: then this is no link, and a link may begin there.
 */
function titleEnd(text: string, start: number, end: number): number | undefined {
  let quote = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (quote > 0) {
      if (code === BACKSLASH) at += 1;
      else if (code === quote) quote = 0;
    } else if (code === CLOSE) return at;
    else if (code === DOUBLE || code === SINGLE) quote = code;
    else if (!isSpace(code)) return undefined;
  }
  return -1;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0xa0;
}

/** The host of a link, or the beginning of an address without one; empty for no address. */
export function getLinkTarget(url: string): string {
  if (/^\w*$/.test(url)) return '';
  const plain = url.includes('\\') || !URL.canParse(url) ? undefined : new URL(url);
  const isWeb = plain?.protocol === 'https:' || plain?.protocol === 'http:';
  if (plain && isWeb && /^[a-z0-9.-]+(?::\d+)?$|^\[[0-9a-f:.]+\](?::\d+)?$/.test(plain.host))
    return plain.host;
  const label = url.replace(/[\s()<>[\]`*_~|@]+/g, ' ').trim();
  return label.length > MAX_SHOWN_LENGTH ? `${label.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…` : label;
}
