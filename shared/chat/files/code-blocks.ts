import { advanceLine, type Block, type Fence, START } from '../../platforms/markdown/index.ts';

/** A fenced block of code: its language as the model named it (empty if it did not), and its content. */
export type CodeBlock = { readonly language: string; readonly code: string };

/**
 * Returns the closed blocks of code in Markdown, also those of lists and quotations, without the indentation or marks that belong to
 * these. Reads each line once.
 */
export function findCodeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let state: Block = START;
  let lines: string[] = [];
  for (const line of markdown.split('\n')) {
    const { fence } = state;
    state = advanceLine(state, line);
    if (fence && state.fence === fence) {
      lines.push(toCodeLine(fence, line));
      continue;
    }
    // The end of a list or quotation ends its code too.
    if (fence) blocks.push({ language: fence.info.toLowerCase(), code: `${lines.join('\n')}\n` });
    lines = [];
  }
  return blocks;
}

function toCodeLine({ isQuoted, column }: Fence, line: string): string {
  const words = isQuoted ? line.replace(/^[ \t]{0,40}> ?/u, '') : line;
  let at = 0;
  let columns = 0;
  while (columns < column && /[ \t]/u.test(words.charAt(at))) {
    columns += words.charAt(at) === '\t' ? 4 - (columns % 4) : 1;
    at += 1;
  }
  // A tab may reach into the code.
  return ' '.repeat(Math.max(0, columns - column)) + words.slice(at);
}

/** Languages by the names that models write: the ending of a file, and Slack's `snippet_type`. */
const LANGUAGES: ReadonlyMap<string, readonly [ending: string, snippetType: string]> = new Map(
  Object.entries({
    bash: ['sh', 'shell'],
    c: ['c', 'c'],
    'c#': ['cs', 'csharp'],
    'c++': ['cpp', 'cpp'],
    cpp: ['cpp', 'cpp'],
    csharp: ['cs', 'csharp'],
    css: ['css', 'css'],
    diff: ['diff', 'diff'],
    go: ['go', 'go'],
    html: ['html', 'html'],
    java: ['java', 'java'],
    javascript: ['js', 'javascript'],
    js: ['js', 'javascript'],
    json: ['json', 'javascript'],
    kotlin: ['kt', 'kotlin'],
    markdown: ['md', 'markdown'],
    php: ['php', 'php'],
    python: ['py', 'python'],
    py: ['py', 'python'],
    ruby: ['rb', 'ruby'],
    rust: ['rs', 'rust'],
    sh: ['sh', 'shell'],
    shell: ['sh', 'shell'],
    sql: ['sql', 'sql'],
    swift: ['swift', 'swift'],
    ts: ['ts', 'typescript'],
    typescript: ['ts', 'typescript'],
    xml: ['xml', 'xml'],
    yaml: ['yaml', 'yaml'],
    yml: ['yaml', 'yaml'],
  } satisfies Readonly<Record<string, readonly [string, string]>>),
);

/** Returns the ending of a file with code of a language, and Slack's type of a snippet. */
export const describeLanguage = (language: string): readonly [ending: string, snippetType: string] =>
  LANGUAGES.get(language) ?? ['txt', 'text'];
