import { readDestination, type TextLimit } from '../../markdown/index.ts';

/**
 * Converts sanitized Markdown to mrkdwn, Slack's older markup, in which `&`, `<` and `>` are control characters. Code stays as it is,
 * without the name of its language, which mrkdwn would show as code; a code block that was cut ends with the text. Runs in linear time.
 */
export function toMrkdwn(inertMarkdown: string): string {
  const pieces: string[] = [];
  /** Puts a mark in place of what is not prose. Sanitized text has no such character. */
  const keep = (piece: string): string => {
    pieces.push(piece);
    return '\0';
  };
  let prose = '';
  let at = 0;
  while (at < inertMarkdown.length) {
    const tick = inertMarkdown.indexOf('`', at);
    const start = tick < 0 ? inertMarkdown.length : tick;
    const end = codeEnd(inertMarkdown, start);
    prose += convertLinks(inertMarkdown.slice(at, start), keep);
    if (start < end) prose += keep(escapeMrkdwn(withoutLanguage(inertMarkdown.slice(start, end))));
    at = end;
  }
  let next = 0;
  return convertProse(prose).replaceAll('\0', () => {
    next += 1;
    return pieces[next - 1] ?? '';
  });
}

const FENCE = '```';

/** The end of the code that begins at an offset: of a block its closing fence, of inline code the end of the line at the latest. */
function codeEnd(text: string, start: number): number {
  if (text.startsWith(FENCE, start)) {
    const close = text.indexOf(FENCE, start + FENCE.length);
    return close < 0 ? text.length : close + FENCE.length;
  }
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '`') return at + 1;
    if (char === '\n') return at;
  }
  return text.length;
}

const withoutLanguage = (code: string): string => code.replace(/^```[\w+#.-]{1,24}(?=\n)/u, FENCE);

/** Escapes the control characters of mrkdwn. */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Measures Markdown by what `toMrkdwn` makes of its control characters. */
export const MRKDWN_CHARACTERS: TextLimit['unit'] = {
  size: (text) => escapeMrkdwn(text).length,
  reach: (text, from, room) => {
    let at = from;
    for (let used = 0; at < text.length; at += 1) {
      used += escapeMrkdwn(text.charAt(at)).length;
      if (used > room) break;
    }
    return at;
  },
};

const convertProse = (text: string): string =>
  convertInline(
    escapeMrkdwn(text)
      .replaceAll(/^#{1,6} +(\S.*)$/gmu, (_, words: string) => `*${words.replaceAll('**', '')}*`)
      .replaceAll(/^( *)[-*] /gmu, '$1• '),
  );

/** mrkdwn has no escapes. Those of `*`, `_` and `~` go only where these are no markup, that of `>` stays, which begins a quotation. */
const convertInline = (escaped: string): string =>
  escaped
    .replaceAll(/\*\*(?=\S)([^*\n]+)\*\*/gu, '*$1*')
    .replaceAll(/(?<=\w)\\([*_~])(?=\w)|(?<=\s)\\([*_~])(?=\s)|\\(?!&gt;)([!-)+-/:-@[-^{-}])/gu, '$1$2$3');

/** Converts `[label](https://…)` to a link of mrkdwn, for which `keep` returns what to put into the text. */
function convertLinks(text: string, keep: (link: string) => string): string {
  let out = '';
  let at = 0;
  for (let open = -1, i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '\\') i += 1;
    else if (char === '[') open = i;
    else if (char === '\n') open = -1;
    if (char !== ']') continue;
    const label = open < 0 ? '' : text.slice(open + 1, i);
    const from = open;
    open = -1;
    if (label === '' || text.charAt(i + 1) !== '(') continue;
    const link = readDestination(text, i + 2);
    if (link.kind !== 'link' || !/^https?:\/\//iu.test(link.url)) continue;
    const words = convertInline(escapeMrkdwn(label)).replaceAll('|', '/');
    out += `${text.slice(at, from)}${keep(`<${toAddress(link.url)}|${words}>`)}`;
    at = i + 2 + link.length;
    i = at - 1;
  }
  return out + text.slice(at);
}

/** An address as mrkdwn needs it. Only parentheses have escapes: a host is shown as it is written. */
const toAddress = (url: string): string =>
  escapeMrkdwn(url.replaceAll(/\\([()])/gu, '$1').replaceAll(/[\s<>|]/gu, encodeURIComponent));
