/** A simple command: its words without quotes, and the assignments before it (`NAME=value npm test`). */
export type SimpleCommand = { readonly assignments: readonly string[]; readonly words: readonly string[] };

const ASSIGNMENT = /^[A-Za-z_]\w*=/u;
/** Where the output goes is no argument: `> file`, `2>&1`. */
const REDIRECTION = /^\d?>>?(?:&\d|[ \t]*[\w./-]+)/u;
/** What separates commands. `{` and `}` are words of their own: `out() { aws …; }`. */
const SEPARATOR = /^(?:&&|\|\||[;|\n])/u;

/**
 * Splits shell text into simple commands, also those inside `$(…)` and `<(…)`. Knows quotes, comments and continued lines, as
 * far as documents use them; `bash -n` checks the rest.
 */
export function parseShell(text: string): SimpleCommand[] {
  const commands: string[][] = [[]];
  const nested: SimpleCommand[] = [];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const skipped = word === undefined ? readSkipped(rest) : 0;
    const quoted = /^'([^']*)'/u.exec(rest) ?? /^"((?:[^"$\\]|\\.|\$(?!\())*)"/u.exec(rest);
    const substitution = /^[$<]\(/u.test(rest) ? readSubstitution(rest) : undefined;
    const separator = SEPARATOR.exec(rest)?.[0];
    if (rest.startsWith('\\\n')) {
      endWord();
      at += 2;
    } else if (substitution !== undefined) {
      nested.push(...parseShell(substitution.slice(2, -1)));
      word = (word ?? '') + substitution;
      at += substitution.length;
    } else if (quoted) {
      word = (word ?? '') + (quoted[1] ?? '');
      at += quoted[0].length;
    } else if (skipped > 0) {
      at += skipped;
    } else if (separator !== undefined) {
      endWord();
      commands.push([]);
      at += separator.length;
    } else if (/^[ \t]/u.test(rest)) {
      endWord();
      at += 1;
    } else {
      // A quote that contains a substitution: its parts are read one after the other.
      word = (word ?? '') + (rest.startsWith('"') ? '' : rest.slice(0, 1));
      at += 1;
    }
  }
  endWord();
  return [...commands.flatMap(toSimpleCommand), ...nested];
}

/** The length of a comment or a redirection at the start of a word; 0 without one. */
function readSkipped(rest: string): number {
  if (rest.startsWith('#')) return rest.includes('\n') ? rest.indexOf('\n') : rest.length;
  return REDIRECTION.exec(rest)?.[0].length ?? 0;
}

/** The text of `$(…)`, with its parentheses. Throws if it does not end. */
function readSubstitution(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] !== ')') continue;
    depth -= 1;
    if (depth === 0) return text.slice(0, at + 1);
  }
  throw new Error(`a substitution does not end: ${text.slice(0, 80)}`);
}

function toSimpleCommand(all: readonly string[]): SimpleCommand[] {
  const words = all.filter((word) => word !== '{' && word !== '}' && !word.endsWith('()'));
  const first = words.findIndex((word) => !ASSIGNMENT.test(word) && word !== 'env');
  if (first === -1) return [];
  return [{ assignments: words.slice(0, first), words: words.slice(first) }];
}
