import {
  advanceLine,
  type Block,
  isCode,
  sanitize,
  START,
  type Table,
  tablesIn,
} from '../../markdown/index.ts';

/** Slack refuses larger tables. Source: docs.slack.dev/surfaces/canvases, "table". */
const MAX_CELLS = 300;
/** Slack documents no limit for nested lists; its editor has six levels. */
const MAX_DEPTH = 6;

const QUOTE = /^ {0,3}>/u;
const QUOTE_MARKS = /^[ \t]*(?:>[ \t]?)+/u;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/u;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+(.*)|$)/u;
const HEADING = /^[ \t]*(#{1,6})[ \t]+(.*)$/u;
const ROW = /^[ \t]*\|/u;

/**
 * Converts an answer to the Markdown of canvases, of which Slack refuses a whole text for one part that it does not know. Source:
 * docs.slack.dev/reference/methods/canvases.create (its example of `canvas_creation_failed`), and what others met: getsentry/junior#1115.
 *
 * - As in messages, nobody is mentioned, pictures become links, and invisible characters go: see `createSanitizer`. Links lead to the web or
 *   to an e-mail address only: `[](@U…)` is how canvases mention people.
 * - Headings have three levels. Quotations have paragraphs only: a quotation with a list, code or table becomes what is in it. Lists have items
 *   and paragraphs only, and a nested list is of the kind of its parent: code and tables are not indented.
 * - A table with more than 300 cells becomes several with the same header.
 * - HTML is text.
 */
export function toCanvasMarkdown(markdown: string): string {
  const lines = unquote(sanitize(markdown.replaceAll('\r', '')).split('\n'));
  return splitTables(withPlainLists(lines).join('\n')).trim();
}

/** Replaces quotations that have more than paragraphs by their content. */
function unquote(lines: readonly string[]): string[] {
  const result: string[] = [];
  let group: string[] = [];
  let block: Block = START;
  const flush = (): void => {
    if (group.length === 0) return;
    const content = group.map((line) => line.replace(QUOTE_MARKS, ''));
    const isPlain =
      content.every((line) => !isStructure(line)) && group.every((line) => !/>[ \t]*>/u.test(line));
    if (isPlain) result.push(...content.map((line) => `> ${line}`));
    else result.push('', ...content, '');
    group = [];
  };
  for (const line of lines) {
    const isQuoted = QUOTE.test(line) && (block.fence === undefined || block.fence.isQuoted);
    block = advanceLine(block, line);
    if (!isQuoted) flush();
    (isQuoted ? group : result).push(line);
  }
  flush();
  return result;
}

const isStructure = (line: string): boolean =>
  ITEM.test(line) ||
  HEADING.test(line) ||
  ROW.test(line) ||
  RULE.test(line) ||
  /^[ \t]*(?:`{3}| {4}|\t)/u.test(line);

/** An open item of a list. `indent`: that of its own content, in columns. */
type Item = { readonly indent: number; readonly isNumbered: boolean; readonly columns: number };

/** Rewrites the lines outside of code, and moves code and tables out of lists. */
function withPlainLists(lines: readonly string[]): string[] {
  const result: string[] = [];
  let block: Block = START;
  let column = 0;
  let items: readonly Item[] = [];
  for (const line of lines) {
    const before = block;
    block = advanceLine(before, line);
    if (isCode(before, line)) {
      // The opening line may follow the mark of an item.
      const code = before.fence ? line : line.replace(/^.*?(?=`{3})/u, '');
      if (!before.fence) column = block.fence?.column ?? 0;
      if (!before.fence && items.length > 0) result.push('');
      items = [];
      result.push(code.replace(new RegExp(`^ {0,${column}}`, 'u'), ''));
      continue;
    }
    if (items.length > 0 && line.trim() !== '' && (ROW.test(line) || !/^[ \t]|^[-*+\d]/u.test(line))) {
      // A paragraph directly below an item belongs to it; a table does not.
      if (ROW.test(line) || result.at(-1) === '') items = [];
      if (ROW.test(line)) result.push('');
    }
    const rewritten = rewrite(line, items);
    ({ items } = rewritten);
    result.push(rewritten.text);
  }
  return result;
}

function rewrite(
  line: string,
  items: readonly Item[],
): { readonly text: string; readonly items: readonly Item[] } {
  if (RULE.test(line)) return { text: '---', items: [] };
  const [, space = '', mark, content = ''] = ITEM.exec(line) ?? [];
  if (mark !== undefined) {
    const columns = countColumns(space);
    const parents = items.filter((item) => item.columns < columns).slice(0, MAX_DEPTH - 1);
    const parent = parents.at(-1);
    const isNumbered = parent?.isNumbered ?? /\d/u.test(mark);
    const itemMark = isNumbered ? (/\d/u.test(mark) ? mark.replace(')', '.') : '1.') : '-';
    const margin = parent?.indent ?? 0;
    const item = { indent: margin + itemMark.length + 1, isNumbered, columns };
    return { text: `${' '.repeat(margin)}${itemMark} ${paragraph(content)}`, items: [...parents, item] };
  }
  if (line.trim() === '') return { text: '', items };
  const parent = items.at(-1);
  if (parent && !ROW.test(line)) return { text: `${' '.repeat(parent.indent)}${paragraph(line)}`, items };
  const [, marks, title = ''] = HEADING.exec(line) ?? [];
  if (marks !== undefined) return { text: `${marks.slice(0, 3)} ${inert(title)}`, items: [] };
  return { text: inert(ROW.test(line) ? line.trimStart() : line), items: [] };
}

/** The words of a line within a list. */
const paragraph = (line: string): string =>
  inert(line.replace(QUOTE_MARKS, '').replace(HEADING, '$2').trimStart());

const countColumns = (space: string): number => space.replaceAll('\t', '    ').length;

/** Outside of code spans: HTML as text, and no links but to the web and to e-mail addresses. */
const inert = (line: string): string =>
  line
    .split(/(`[^`]*`)/u)
    .map((part) =>
      part.startsWith('`')
        ? part
        : part
            .replaceAll(
              /(?<!\\)(\\*)<(?=[a-z/!?])(?!https?:\/\/[^\s<>]*>|mailto:[^\s<>]*>)/giu,
              (tag, slashes: string) => (slashes.length % 2 === 1 ? tag : `${slashes}\\<`),
            )
            .replaceAll(/\]\((?!\s*<?(?:https?:\/\/|mailto:))/giu, ']\\('),
    )
    .join('');

/** Divides tables with too many cells. One whose rows are too long for that becomes code. */
function splitTables(text: string): string {
  let result = '';
  let at = 0;
  for (const table of tablesIn(text)) {
    if (table.header.length * (table.rows.length + 1) <= MAX_CELLS) continue;
    result += text.slice(at, table.start) + splitTable(table, text);
    at = table.end;
  }
  return result + text.slice(at);
}

function splitTable({ start, body, end, header, rows }: Table, text: string): string {
  const perPart = Math.floor(MAX_CELLS / header.length) - 1;
  if (perPart < 1) return `\`\`\`\n${text.slice(start, end).trimEnd()}\n\`\`\`\n`;
  const head = text.slice(start, body);
  const parts: string[] = [];
  for (let from = 0; from < rows.length; from += perPart)
    parts.push(head + text.slice(rows[from]?.start ?? end, rows[from + perPart]?.start ?? end).trimEnd());
  return `${parts.join('\n\n')}\n`;
}
