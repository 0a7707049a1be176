/** A message taken apart: what is wanted, and what it is wanted of. */
export type Material = {
  /** The words of whoever asks. */
  readonly prompt: string;
  /** The text that they are about: a file, a recording, a quotation, code, or what was said before. Empty if there is none. */
  readonly text: string;
  /** Code among it, with its indentation. */
  readonly code: { readonly language: string; readonly text: string } | undefined;
};

const BEFORE = /^Said in this thread before you were called:\n/u;
const TAGGED = /<(recording|text|thread|messages?)>\n?([\s\S]*?)\n?<\/\1>/gu;
const FENCED = /^(?<fence>`{3,})(?<language>[\w+#-]*)[^\n`]*\n(?<inside>[\s\S]*?)\n\k<fence>[^\S\n]*$/gmu;
const ATTACHED = /^Attached (?:file|picture|sound|video) “(?<name>.*)”.*$/gmu;
/** Behind this many characters, what follows a colon is a text of its own. */
const COLON = /^(?<wish>[^\n:]{3,60}):\s+(?<text>\S[\s\S]{11,})$/u;
const LOOKS_LIKE_CODE =
  /^\s*(?:def |class |function |func |fn |import |from \w+ import|const |let |var |public |#include|SELECT |if \(|for \(|return\b|package )|[{};]\s*$/mu;

/** Takes a message apart. Linear in its length. */
export function materialIn(message: string): Material {
  const code = codeIn(message);
  if (BEFORE.test(message)) {
    const at = message.lastIndexOf('\n\n');
    return {
      prompt: message.slice(at + 2).trim(),
      text: message.slice(0, at).replace(BEFORE, '').trim(),
      code,
    };
  }
  const tagged = [...message.matchAll(TAGGED)].map(([, , inside = '']) => inside);
  const [first = '', ...rest] = message.replaceAll(TAGGED, '').split(/\n\s*\n/u);
  const text = [...rest.map(plain), ...tagged].join('\n\n').trim();
  if (text !== '') return { prompt: first.trim(), text, code };
  // Code may follow the wish at once.
  const open = /\n`{3,}/u.exec(first)?.index;
  if (open !== undefined)
    return { prompt: first.slice(0, open).trim(), text: plain(first.slice(open)), code };
  const { wish: prompt, text: behind } = COLON.exec(first)?.groups ?? {};
  return { prompt: (prompt ?? first).trim(), text: (behind ?? '').trim(), code };
}

/** Without what frames it: fences, marks of quotations, names of files. */
const plain = (text: string): string =>
  text
    .replaceAll(FENCED, '$<inside>')
    .replaceAll(ATTACHED, '')
    .replaceAll(/^`{3,}.*$/gmu, '')
    .replaceAll(/^(?:>|&gt;) ?/gmu, '')
    .trim();

const ENDINGS: Readonly<Record<string, string>> = {
  py: 'python',
  ts: 'ts',
  js: 'js',
  go: 'go',
  rs: 'rust',
  java: 'java',
  sql: 'sql',
  sh: 'sh',
  json: 'json',
};

function codeIn(message: string): Material['code'] {
  for (const { groups } of message.matchAll(FENCED)) {
    const { language = '', inside = '' } = groups ?? {};
    const name = [...message.matchAll(ATTACHED)].at(0)?.groups?.['name'] ?? '';
    const languageName = language || (ENDINGS[name.split('.').at(-1) ?? ''] ?? '');
    if (languageName !== '' || LOOKS_LIKE_CODE.test(inside)) return { language: languageName, text: inside };
  }
  return undefined;
}
