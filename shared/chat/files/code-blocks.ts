/** A fenced block of code: its language as the model named it (empty if it did not), and its content. */
export type CodeBlock = { readonly language: string; readonly code: string };

const OPENING = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]{0,20})/u;

/** Returns the closed blocks of code in Markdown. Reads each line once. */
export function findCodeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { readonly marker: string; readonly language: string; readonly lines: string[] } | undefined;
  for (const line of markdown.split('\n')) {
    const [, marker = '', language = ''] = OPENING.exec(line) ?? [];
    if (!open) {
      if (marker !== '') open = { marker, language: language.toLowerCase(), lines: [] };
    } else if (marker.startsWith(open.marker) && line.trim() === marker) {
      blocks.push({ language: open.language, code: `${open.lines.join('\n')}\n` });
      open = undefined;
    } else open.lines.push(line);
  }
  return blocks;
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
