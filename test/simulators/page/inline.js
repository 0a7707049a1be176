/** How deep marks may stand within marks. */
export const DEPTH_MOST = 6;

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
  discord: [
    ['**', 'strong'],
    ['__', 'underline'],
    ['~~', 'strike'],
    ['||', 'spoiler'],
    ['*', 'em'],
    ['_', 'em'],
  ],
};

const TOKEN =
  /<(?:([@#!])([^<>|\n]{1,80})|((?:https?:\/\/|mailto:)[^<>|\s]{1,2000}))(?:\|([^<>\n]{0,300}))?>/y;
const MASKED =
  /\[([^[\]\n]{1,500})\]\(\s*<?((?:https?:\/\/|mailto:)[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,500})?)>?(?:\s+"[^"\n]{0,200}")?\s*\)/y;
const BARE = /https?:\/\/[^\s<>"'`|\])]{1,2000}/y;
const KINDS = { '@': 'user', '#': 'channel', '!': 'special' };
const WORD = /[\p{L}\p{N}]/u;

/** The words of a line, or of lines that belong together. */
export function inlines(source, dialect, depth) {
  const tokens = [];
  const dead = new Set();
  let plain = '';
  let at = 0;
  const flush = () => {
    if (plain !== '') tokens.push({ kind: 'text', text: entities(plain, dialect) });
    plain = '';
  };
  while (at < source.length) {
    const part = partAt(source, at, dialect, depth, dead);
    if (part?.text !== undefined) plain += part.text;
    else if (part) {
      flush();
      tokens.push(part.part);
    } else plain += source[at];
    at = part ? part.next : at + 1;
  }
  flush();
  return tokens;
}

function partAt(source, at, dialect, depth, dead) {
  const char = source[at];
  if (char === '\n') return { part: { kind: 'break' }, next: at + 1 };
  if (char === '\\' && dialect !== 'mrkdwn' && /[!-/:-@[-`{-~]/.test(source[at + 1] ?? '')) {
    return { text: source[at + 1], next: at + 2 };
  }
  if (char === '`') return codeAt(source, at, dialect, dead);
  if (char === '<') return dialect === 'discord' ? discordTokenAt(source, at) : tokenAt(source, at);
  if (char === '[' && dialect !== 'mrkdwn') return maskedAt(source, at, dialect, depth);
  if (char === 'h' && !WORD.test(source[at - 1] ?? '')) return bareAt(source, at, dialect);
  return depth < DEPTH_MOST ? emphasisAt(source, at, dialect, depth, dead) : undefined;
}

function codeAt(source, at, dialect, dead) {
  let run = 1;
  while (source[at + run] === '`') run += 1;
  const mark = '`'.repeat(run);
  const end = dead.has(mark) ? -1 : source.indexOf(mark, at + run);
  if (end < 0) {
    dead.add(mark);
    return { text: mark, next: at + run };
  }
  return { part: { kind: 'code', text: entities(source.slice(at + run, end), dialect) }, next: end + run };
}

function tokenAt(source, at) {
  TOKEN.lastIndex = at;
  const token = TOKEN.exec(source);
  if (!token) return undefined;
  const next = at + token[0].length;
  // `<!date^…|words>` and `<!subteam^…|@name>` say in words what they stand for.
  const label = token[4] && token[2]?.includes('^') ? { label: entities(token[4]) } : {};
  if (token[1]) return { part: { kind: KINDS[token[1]], id: token[2], ...label }, next };
  return {
    part: linkOf(token[3], token[4] ? [{ kind: 'text', text: entities(token[4]) }] : undefined),
    next,
  };
}

const DISCORD_TOKEN =
  /<(?:@!?(?<user>\d+)|@&(?<role>\d+)|#(?<channel>\d+)|\/(?<command>[\p{L}\p{N}_ -]{1,98}):\d+|t:(?<time>-?\d{1,13})(?::(?<style>[tTdDfFR]))?|a?:(?<emoji>\w{2,32}):\d+|(?<link>https?:\/\/[^<>\s]{1,2000}))>/uy;

/** What Discord shows of `<…>`: see "Message formatting" in its reference. */
function discordTokenAt(source, at) {
  DISCORD_TOKEN.lastIndex = at;
  const match = DISCORD_TOKEN.exec(source);
  if (!match) return undefined;
  const next = at + match[0].length;
  const { user, role, channel, command, time, style, emoji, link } = match.groups;
  if (user) return { part: { kind: 'user', id: user }, next };
  if (role) return { part: { kind: 'role', id: role }, next };
  if (channel) return { part: { kind: 'channel', id: channel }, next };
  if (command) return { part: { kind: 'command', id: command }, next };
  if (time) return { part: { kind: 'time', at: Number(time) * 1_000, ...(style ? { style } : {}) }, next };
  return emoji ? { text: `:${emoji}:`, next } : { part: linkOf(link, undefined, 'discord'), next };
}

function maskedAt(source, at, dialect, depth) {
  MASKED.lastIndex = at;
  const masked = depth < DEPTH_MOST && MASKED.exec(source);
  if (!masked) return undefined;
  return {
    part: linkOf(masked[2], inlines(masked[1], dialect, DEPTH_MOST), dialect),
    next: at + masked[0].length,
  };
}

function bareAt(source, at, dialect) {
  BARE.lastIndex = at;
  const bare = BARE.exec(source)?.[0].replace(/[.,:;!?*_~]+$/, '');
  return bare ? { part: linkOf(bare, undefined, dialect), next: at + bare.length } : undefined;
}

/** A link whose words hide the address names its host. */
function linkOf(address, parts, dialect) {
  const href = entities(address, dialect);
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

/** The signs that stand for `&lt;` and the like; Discord shows these as they are. */
export function entities(text, dialect) {
  if (dialect === 'discord') return text;
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
