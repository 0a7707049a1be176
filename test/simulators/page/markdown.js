import { DEPTH_MOST, entities, inlines } from './inline.js';

/**
 * Reads Markdown, Slack's own mrkdwn, or what of Markdown Discord shows, into a tree. Nothing here is HTML: the tree holds
 * plain text and http(s) or mail addresses, and the page makes elements of it. Unclosed marks are text, an unclosed fence
 * runs to the end, so a message can be drawn while it grows. Work is linear in the length of the text, up to a fixed depth.
 */

/** @type {import('./markdown.d.ts').parseMarkdown} */
export function parseMarkdown(text, dialect = 'markdown') {
  return blocks(text.replaceAll('\r\n', '\n').split('\n'), dialect, 0);
}

const FENCE = /^\s{0,3}```([^`]{0,40})$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^(\s*)(?:([-*+•])|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = {
  markdown: /^\s{0,3}(?:>|&gt;)\s?(.*)$/,
  mrkdwn: /^(?:>|&gt;)\s?(.*)$/,
  discord: /^> (.*)$/,
};
/** Everything below it is quoted. */
const REST_QUOTED = /^>>> (.*)$/;
const SMALL_PRINT = /^-# (.+)$/;
/** How many levels of headings there are. */
const LEVELS = { markdown: 6, discord: 3 };
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

function blocks(lines, dialect, depth) {
  const nodes = [];
  let words = [];
  let at = 0;
  const flush = () => {
    if (words.length > 0) nodes.push({ kind: 'paragraph', parts: inlines(words.join('\n'), dialect, depth) });
    words = [];
  };
  while (at < lines.length) {
    const block = blockAt(lines, at, dialect, depth, words.length === 0);
    if (block) {
      flush();
      if (block.block) nodes.push(block.block);
      at = block.next;
    } else {
      words.push(lines[at]);
      at += 1;
    }
  }
  flush();
  return nodes;
}

/** The block that starts on this line, and the line after it; undefined when the line is plain words. */
function blockAt(lines, at, dialect, depth, first) {
  const line = lines[at];
  if (line.trim() === '') return { next: at + 1 };
  const fence = FENCE.exec(line);
  if (fence) return fenceAt(lines, at, fence[1].trim(), dialect);
  if (QUOTE[dialect].test(line) && depth < DEPTH_MOST) return quoteAt(lines, at, dialect, depth);
  if (dialect === 'mrkdwn') return undefined;
  const own = dialect === 'discord' ? discordAt(lines, at, depth) : markdownAt(lines, at, depth);
  if (own) return own;
  const item = ITEM.exec(line);
  // In the middle of a paragraph only a list that begins with 1 or a mark may start: "in\n1999. What a year".
  if (item && (first || item[2] || item[3] === '1')) return listAt(lines, at, dialect, depth);
  return undefined;
}

/** What Discord does not have: more levels of headings, rules and tables. */
function markdownAt(lines, at, depth) {
  const line = lines[at];
  const heading = headingAt(line, at, 'markdown', depth);
  if (heading) return heading;
  if (RULE.test(line)) return { block: { kind: 'rule' }, next: at + 1 };
  const table =
    line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '') && (lines[at + 1] ?? '').includes('-');
  return table ? tableAt(lines, at, 'markdown', depth) : undefined;
}

/** What Discord alone has: small print, and quotations of all that follows. */
function discordAt(lines, at, depth) {
  const line = lines[at];
  if (REST_QUOTED.test(line) && depth < DEPTH_MOST) return restQuoted(lines, at, depth);
  const small = SMALL_PRINT.exec(line);
  if (small) return { block: { kind: 'small', parts: inlines(small[1], 'discord', depth) }, next: at + 1 };
  return headingAt(line, at, 'discord', depth);
}

function headingAt(line, at, dialect, depth) {
  const [, marks, words] = HEADING.exec(line) ?? [];
  if (marks === undefined || marks.length > LEVELS[dialect]) return undefined;
  return {
    block: { kind: 'heading', level: marks.length, parts: inlines(words, dialect, depth) },
    next: at + 1,
  };
}

function fenceAt(lines, at, language, dialect) {
  let end = at + 1;
  while (end < lines.length && !/^\s{0,3}```\s*$/.test(lines[end])) end += 1;
  const text = entities(lines.slice(at + 1, end).join('\n'), dialect);
  return { block: { kind: 'fence', language, text }, next: end + 1 };
}

function restQuoted(lines, at, depth) {
  const inner = [REST_QUOTED.exec(lines[at])[1], ...lines.slice(at + 1)];
  return { block: { kind: 'quote', blocks: blocks(inner, 'discord', depth + 1) }, next: lines.length };
}

function quoteAt(lines, at, dialect, depth) {
  const inner = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const quoted = QUOTE[dialect].exec(lines[end]);
    if (!quoted) break;
    inner.push(quoted[1]);
  }
  return { block: { kind: 'quote', blocks: blocks(inner, dialect, depth + 1) }, next: end };
}

function tableAt(lines, at, dialect, depth) {
  const row = (line) => cells(line).map((cell) => inlines(cell, dialect, depth));
  const head = row(lines[at]);
  const rows = [];
  let end = at + 2;
  for (; end < lines.length && lines[end].includes('|'); end += 1) {
    const values = row(lines[end]).slice(0, head.length);
    while (values.length < head.length) values.push([]);
    rows.push(values);
  }
  return { block: { kind: 'table', head, rows }, next: end };
}

/** Splits at bars that are neither escaped nor inside code. */
function cells(line) {
  const columns = [''];
  let code = false;
  const inner = line.trim().replace(/^\|/, '');
  for (let at = 0; at < inner.length; at += 1) {
    const char = inner[at];
    if (char === '\\' && inner[at + 1] === '|') {
      columns[columns.length - 1] += '|';
      at += 1;
    } else if (char === '|' && !code) columns.push('');
    else {
      if (char === '`') code = !code;
      columns[columns.length - 1] += char;
    }
  }
  if (columns.length > 1 && columns.at(-1).trim() === '') columns.pop();
  return columns.map((cell) => cell.trim());
}

/** One list with the lists inside its items, by indentation. */
function listAt(lines, at, dialect, depth) {
  const opening = ITEM.exec(lines[at]);
  const indent = opening[1].length;
  const ordered = opening[3] !== undefined;
  const list = { kind: 'list', ordered, start: ordered ? Number(opening[3]) : 1, items: [] };
  let words = [];
  let lists = [];
  const flush = () => {
    if (words.length === 0) return;
    const task = dialect === 'discord' ? null : /^\[([ xX])\]\s+/.exec(words[0]);
    if (task) words[0] = words[0].slice(task[0].length);
    const parts = inlines(words.join('\n'), dialect, depth);
    list.items.push({ parts, lists, ...(task ? { done: task[1] !== ' ' } : {}) });
    words = [];
    lists = [];
  };
  let next = at;
  while (next < lines.length) {
    const line = lines[next];
    const item = ITEM.exec(line);
    if (item && item[1].length > indent + 1 && words.length > 0 && depth < DEPTH_MOST) {
      const inner = listAt(lines, next, dialect, depth + 1);
      lists.push(inner.block);
      next = inner.next;
    } else if (item && item[1].length >= indent - 1 && (item[3] !== undefined) === ordered) {
      flush();
      words.push(item[4]);
      next += 1;
    } else if (!item && line.trim() !== '' && /^\s{2,}/.test(line) && words.length > 0 && !FENCE.test(line)) {
      words.push(line.trim());
      next += 1;
    } else if (line.trim() === '' && ITEM.test(lines[next + 1] ?? '')) next += 1;
    else break;
  }
  flush();
  return { block: list, next };
}
