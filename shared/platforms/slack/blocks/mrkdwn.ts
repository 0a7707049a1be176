/**
 * Converts sanitized Markdown to mrkdwn, Slack's older markup, in which `&`, `<` and `>` are control characters. Code stays as it is; a
 * code block that was cut ends with the text. Runs in linear time.
 */
export function toMrkdwn(inertMarkdown: string): string {
  const codes: string[] = [];
  let prose = '';
  let at = 0;
  while (at < inertMarkdown.length) {
    const tick = inertMarkdown.indexOf('`', at);
    const start = tick < 0 ? inertMarkdown.length : tick;
    const end = codeEnd(inertMarkdown, start);
    prose += convertLinks(escapeMrkdwn(inertMarkdown.slice(at, start).replaceAll(CODE_MARK, '')));
    if (end > start) {
      prose += CODE_MARK;
      codes.push(escapeMrkdwn(inertMarkdown.slice(start, end)));
    }
    at = end;
  }
  const remaining = codes.values();
  return convertStyles(prose).replaceAll(CODE_MARK, () => remaining.next().value ?? '');
}

/** In place of code, so that lines and bold text are recognized around it. Unicode has no character with this number. */
const CODE_MARK = '\uFDD0';

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

export const escapeMrkdwn = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const convertStyles = (text: string): string =>
  text
    .replaceAll(/\*\*(?=\S)([^*\n]+)\*\*/gu, '*$1*')
    .replaceAll(/^#{1,6} +(\S.*)$/gmu, '*$1*')
    .replaceAll(/^( *)[-*] /gmu, '$1• ');

/** The URL after `](`. */
const ADDRESS = /https?:\/\/[^\s)]+/uy;

/** Converts `[label](https://…)` to a link of mrkdwn. */
function convertLinks(text: string): string {
  let out = '';
  let at = 0;
  for (let open = -1, i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '[') open = i;
    else if (char === '\n') open = -1;
    if (char !== ']') continue;
    const label = open < 0 ? '' : text.slice(open + 1, i);
    const from = open;
    open = -1;
    if (label === '' || text.charAt(i + 1) !== '(') continue;
    ADDRESS.lastIndex = i + 2;
    const url = ADDRESS.exec(text)?.[0];
    if (url === undefined) continue;
    const end = i + 2 + url.length;
    if (text.charAt(end) === ')') {
      out += `${text.slice(at, from)}<${url.replaceAll('|', '%7C')}|${label.replaceAll('|', '/')}>`;
      at = end + 1;
      i = end;
    } else {
      // Each URL that starts within this one ends at the same place, without a closing parenthesis.
      i = end - 1;
    }
  }
  return out + text.slice(at);
}
