/** In characters. Source: docs.slack.dev/reference/methods/canvases.create. */
export const MAX_CONTENT_LENGTH = 1_048_576;
/** Source: docs.slack.dev/surfaces/canvases. */
const MAX_CELLS = 300;

const ITEM = /^( *)(?:([-*+])|\d+[.)])\s/u;
const OTHER_BLOCK = /^(?:#|>|`{3}|\|)/u;

type List = { readonly indent: number; readonly isNumbered: boolean };

/**
 * Slack's words for the first part of a Markdown text that a canvas does not accept (`detail` of `canvas_creation_failed`); undefined if there
 * is none. Documented: a list within a quotation, and the size of tables. Reported: headings of more than three levels, a quotation in a list,
 * a list in one of the other kind (getsentry/junior#1115). That other blocks within lists and quotations, and HTML, are refused is a guess.
 */
export function refusedContent(markdown: string): string | undefined {
  let fence = '';
  let cells = 0;
  let lists: readonly List[] = [];
  for (const [at, line] of markdown.split('\n').entries()) {
    const [, mark = ''] = /^\s*(`{3,}|~{3,})/u.exec(line) ?? [];
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = '';
      continue;
    }
    // The line of dashes has no cells.
    const columns = line.startsWith('|') ? line.split(/(?<!\\)\|/u).length - 2 : 0;
    cells = columns === 0 ? 0 : cells + (/^[|:\s-]+$/u.test(line) ? 0 : columns);
    const problem =
      (cells > MAX_CELLS ? 'Unsupported table type' : undefined) ??
      problemOf(line) ??
      problemInList(line, lists);
    if (problem !== undefined) return `'content' error: line ${at + 1}: ${problem}`;
    lists = listsAfter(line, lists);
    fence = mark;
  }
  return undefined;
}

/** The problem of a line by itself. */
function problemOf(line: string): string | undefined {
  const [, quoted = ''] = /^ {0,3}> ?(.*)$/u.exec(line) ?? [];
  if (ITEM.test(quoted)) return 'Unsupported block type (List) within block quote';
  if (OTHER_BLOCK.test(quoted)) return 'Unsupported block type within block quote';
  if (/^\s*#{4,}\s/u.test(line)) return 'Unsupported heading level';
  const isHtml = /(?<!\\)<(?!https?:|mailto:)[a-z/!?]/iu.test(line.replaceAll(/`[^`]*`/gu, ''));
  return isHtml ? 'Unsupported block type (HTML)' : undefined;
}

/** The problem of a line within the lists that are open above it. */
function problemInList(line: string, lists: readonly List[]): string | undefined {
  const [item, space = '', bullet] = ITEM.exec(line) ?? [];
  if (item === undefined)
    return lists.length > 0 && /^\s+(?:#{1,6}\s|>|`{3}|\|)/u.test(line)
      ? 'Unsupported block type within list'
      : undefined;
  const parent = lists.findLast(({ indent }) => indent < space.length);
  if (parent && parent.isNumbered !== (bullet === undefined)) return 'Unsupported list within list';
  return OTHER_BLOCK.test(line.slice(item.length)) ? 'Unsupported block type within list' : undefined;
}

function listsAfter(line: string, lists: readonly List[]): readonly List[] {
  const [item, space = '', bullet] = ITEM.exec(line) ?? [];
  if (item === undefined) return line.trim() === '' || line.startsWith(' ') ? lists : [];
  const open = lists.filter(({ indent }) => indent < space.length);
  return [...open, { indent: space.length, isNumbered: bullet === undefined }];
}
