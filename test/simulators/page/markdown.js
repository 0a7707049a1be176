/**
 * Reads Markdown, or Slack's own mrkdwn, into a tree. Nothing here is HTML: the tree holds plain text and http(s) or
 * mail addresses, and the page makes elements of it. Unclosed marks are text, an unclosed fence runs to the end, so a
 * message can be drawn while it grows. Work is linear in the length of the text, up to a fixed depth.
 */

const DEPTH_MOST = 6;

/** @type {import('./markdown.d.ts').parseMarkdown} */
export function parseMarkdown(text, dialect = 'markdown') {
  return blocks(text.replaceAll('\r\n', '\n').split('\n'), dialect, 0);
}

const FENCE = /^\s{0,3}```([^`]{0,40})$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^(\s*)(?:([-*+•])|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = { markdown: /^\s{0,3}(?:>|&gt;)\s?(.*)$/, mrkdwn: /^(?:>|&gt;)\s?(.*)$/ };
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

function blocks(lines, dialect, depth) {
  const found = [];
  let words = [];
  let at = 0;
  const flush = () => {
    if (words.length > 0) found.push({ kind: 'paragraph', parts: inlines(words.join('\n'), dialect, depth) });
    words = [];
  };
  while (at < lines.length) {
    const block = blockAt(lines, at, dialect, depth, words.length === 0);
    if (block) {
      flush();
      if (block.block) found.push(block.block);
      at = block.next;
    } else {
      words.push(lines[at]);
      at += 1;
    }
  }
  flush();
  return found;
}

/** The block that starts on this line, and the line after it; undefined when the line is plain words. */
function blockAt(lines, at, dialect, depth, first) {
  const line = lines[at];
  if (line.trim() === '') return { next: at + 1 };
  const fence = FENCE.exec(line);
  if (fence) return fenceAt(lines, at, fence[1].trim());
  if (QUOTE[dialect].test(line) && depth < DEPTH_MOST) return quoteAt(lines, at, dialect, depth);
  if (dialect === 'mrkdwn') return undefined;
  const heading = HEADING.exec(line);
  if (heading) {
    const parts = inlines(heading[2], dialect, depth);
    return { block: { kind: 'heading', level: heading[1].length, parts }, next: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: 'rule' }, next: at + 1 };
  if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '') && (lines[at + 1] ?? '').includes('-')) {
    return tableAt(lines, at, dialect, depth);
  }
  const item = ITEM.exec(line);
  // In the middle of a paragraph only a list that begins with 1 or a mark may start: "in\n1999. What a year".
  if (item && (first || item[2] || item[3] === '1')) return listAt(lines, at, dialect, depth);
  return undefined;
}

function fenceAt(lines, at, language) {
  let end = at + 1;
  while (end < lines.length && !/^\s{0,3}```\s*$/.test(lines[end])) end += 1;
  const text = entities(lines.slice(at + 1, end).join('\n'));
  return { block: { kind: 'fence', language, text }, next: end + 1 };
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
  const found = [''];
  let code = false;
  const inner = line.trim().replace(/^\|/, '');
  for (let at = 0; at < inner.length; at += 1) {
    const char = inner[at];
    if (char === '\\' && inner[at + 1] === '|') {
      found[found.length - 1] += '|';
      at += 1;
    } else if (char === '|' && !code) found.push('');
    else {
      if (char === '`') code = !code;
      found[found.length - 1] += char;
    }
  }
  if (found.length > 1 && found.at(-1).trim() === '') found.pop();
  return found.map((cell) => cell.trim());
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
    const task = /^\[([ xX])\]\s+/.exec(words[0]);
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

/** Marks of emphasis: longer ones first. */
const MARKS = {
  markdown: [
    ['**', 'strong'],
    ['__', 'strong'],
    ['~~', 'strike'],
    ['*', 'em'],
    ['_', 'em'],
  ],
  mrkdwn: [
    ['*', 'strong'],
    ['_', 'em'],
    ['~', 'strike'],
  ],
};

const TOKEN =
  /<(?:([@#!])([^<>|\n]{1,80})|((?:https?:\/\/|mailto:)[^<>|\s]{1,2000}))(?:\|([^<>\n]{0,300}))?>/y;
const MASKED =
  /\[([^[\]\n]{1,500})\]\(\s*<?((?:https?:\/\/|mailto:)[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,500})?)>?(?:\s+"[^"\n]{0,200}")?\s*\)/y;
const BARE = /https?:\/\/[^\s<>"'`|\])]{1,2000}/y;
const KINDS = { '@': 'user', '#': 'channel', '!': 'special' };
const WORD = /[\p{L}\p{N}]/u;

function inlines(source, dialect, depth) {
  const found = [];
  const dead = new Set();
  let plain = '';
  let at = 0;
  const flush = () => {
    if (plain !== '') found.push({ kind: 'text', text: entities(plain) });
    plain = '';
  };
  while (at < source.length) {
    const part = partAt(source, at, dialect, depth, dead);
    if (part?.text !== undefined) plain += part.text;
    else if (part) {
      flush();
      found.push(part.part);
    } else plain += source[at];
    at = part ? part.next : at + 1;
  }
  flush();
  return found;
}

function partAt(source, at, dialect, depth, dead) {
  const char = source[at];
  if (char === '\n') return { part: { kind: 'break' }, next: at + 1 };
  if (char === '\\' && dialect === 'markdown' && /[!-/:-@[-`{-~]/.test(source[at + 1] ?? '')) {
    return { text: source[at + 1], next: at + 2 };
  }
  if (char === '`') return codeAt(source, at, dead);
  if (char === '<') return tokenAt(source, at);
  if (char === '[' && dialect === 'markdown') return maskedAt(source, at, dialect, depth);
  if (char === 'h' && !WORD.test(source[at - 1] ?? '')) return bareAt(source, at);
  return depth < DEPTH_MOST ? emphasisAt(source, at, dialect, depth, dead) : undefined;
}

function codeAt(source, at, dead) {
  let run = 1;
  while (source[at + run] === '`') run += 1;
  const mark = '`'.repeat(run);
  const end = dead.has(mark) ? -1 : source.indexOf(mark, at + run);
  if (end < 0) {
    dead.add(mark);
    return { text: mark, next: at + run };
  }
  return { part: { kind: 'code', text: entities(source.slice(at + run, end)) }, next: end + run };
}

function tokenAt(source, at) {
  TOKEN.lastIndex = at;
  const token = TOKEN.exec(source);
  if (!token) return undefined;
  const next = at + token[0].length;
  if (token[1]) return { part: { kind: KINDS[token[1]], id: token[2] }, next };
  return {
    part: linkOf(token[3], token[4] ? [{ kind: 'text', text: entities(token[4]) }] : undefined),
    next,
  };
}

function maskedAt(source, at, dialect, depth) {
  MASKED.lastIndex = at;
  const masked = depth < DEPTH_MOST && MASKED.exec(source);
  if (!masked) return undefined;
  return { part: linkOf(masked[2], inlines(masked[1], dialect, DEPTH_MOST)), next: at + masked[0].length };
}

function bareAt(source, at) {
  BARE.lastIndex = at;
  const bare = BARE.exec(source)?.[0].replace(/[.,:;!?*_~]+$/, '');
  return bare ? { part: linkOf(bare, undefined), next: at + bare.length } : undefined;
}

/** A link whose words hide the address names its host. */
function linkOf(address, parts) {
  const href = entities(address);
  if (!parts) return { kind: 'link', href, parts: [{ kind: 'text', text: href }] };
  const host = URL.canParse(href) ? new URL(href).host || href.replace('mailto:', '') : href;
  return { kind: 'link', href, parts, host };
}

function emphasisAt(source, at, dialect, depth, dead) {
  for (const [mark, kind] of MARKS[dialect]) {
    if (!source.startsWith(mark, at) || dead.has(mark)) continue;
    const from = at + mark.length;
    if (!/\S/.test(source[from] ?? ' ')) continue;
    const strict = dialect === 'mrkdwn' || mark.startsWith('_');
    if (strict && WORD.test(source[at - 1] ?? '')) continue;
    const end = closing(source, from, mark, strict);
    if (end < 0) dead.add(mark);
    else
      return {
        part: { kind, parts: inlines(source.slice(from, end), dialect, depth + 1) },
        next: end + mark.length,
      };
  }
  return undefined;
}

/** Where a mark closes: after a word, not before one if strict, and not as half of a doubled mark. */
function closing(source, from, mark, strict) {
  for (let end = source.indexOf(mark, from); end >= 0; end = source.indexOf(mark, end + 1)) {
    if (end === from || /\s/.test(source[end - 1])) continue;
    if (strict && WORD.test(source[end + mark.length] ?? '')) continue;
    if (mark.length === 1 && source[end + 1] === mark) {
      end += 1;
      continue;
    }
    return end;
  }
  return -1;
}

function entities(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
