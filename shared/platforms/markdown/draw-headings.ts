import { advanceLine, type Block, isCode, START } from './code.ts';

/** Behind the marks of quotations and lists. Discord has the first three levels. */
const HEADING = /^((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){0,40})#{4,6}[ \t]+(\S.*)$/u;
const RULE = /^( {0,3})(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/u;
/** An incomplete line that may become one of these. */
const UNSETTLED =
  /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){0,40}(?:#{1,6}$|#{4,6}[ \t])|^ {0,3}(?:[-*_][ \t]*)+$/u;
/** No shorter than any rule, so that a text does not grow. */
const DRAWN_RULE = '───';

/** Draws what Discord would show as characters: headings of the fourth level and deeper as bold lines, and rules. The text does not grow. */
export function drawHeadings(text: string): string {
  if (!/####|-[ \t]*-|\*[ \t]*\*|_[ \t]*_/u.test(text)) return text;
  let block: Block = START;
  const lines = text.split('\n').map((line) => {
    const drawn = isCode(block, line) ? line : drawLine(line);
    block = advanceLine(block, line);
    return drawn;
  });
  return lines.join('\n');
}

/** Whether an incomplete line may be drawn otherwise when it is complete. */
export const isUnsettledLine = (line: string): boolean => UNSETTLED.test(line);

function drawLine(line: string): string {
  const [, indent] = RULE.exec(line) ?? [];
  if (indent !== undefined) return indent + DRAWN_RULE;
  const [, prefix, words] = HEADING.exec(line) ?? [];
  return prefix === undefined || words === undefined ? line : prefix + toBold(words);
}

/** Bold within bold would end it, also bold in code. */
function toBold(words: string): string {
  const plain = words
    .replace(/[ \t]+#+[ \t]*$/u, '')
    .trimEnd()
    .replaceAll(/(`[^`]*`)|\*\*/gu, '$1');
  return /\*\*|^\*?\s|[\s\\]\*?$|^\*?$/u.test(plain) ? plain : `**${plain}**`;
}
