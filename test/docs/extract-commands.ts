import type { SourceFile } from '../../infra/checks/source-tree.ts';
import { parseShell, type SimpleCommand } from './shell-words.ts';

/** Shell text of a document, and where it stands. */
export type ShellText = { readonly path: string; readonly line: number; readonly text: string };

export type DocumentedCommand = SimpleCommand & {
  /** The first place in the documents that has it. */
  readonly place: string;
};

const BLOCK = /^( *)```(sh|bash|shell|console)\n(.*?)^\1```/gmsu;
/** Text between single backquotes that begins with a program that the documents use. */
const INLINE =
  /(?<!`)`((?:env |[A-Z_]+=\S+ )*(?:npm|npx|node|aws|parley|git|grep|apt-get|source|bash) [^`\n]+)`(?!`)/gu;
/** What changed in former versions was run then. */
const HISTORY = 'CHANGELOG.md';

/** The shell blocks of the documents, and the commands within their sentences. */
export function extractShell(files: readonly SourceFile[]): { blocks: ShellText[]; inline: ShellText[] } {
  const documents = files.filter(({ path }) => path.endsWith('.md') && path !== HISTORY);
  const findAll = (pattern: RegExp, group: number) =>
    documents.flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map((match) => ({
        path,
        line: text.slice(0, match.index).split('\n').length,
        text: match[group] ?? '',
      })),
    );
  return { blocks: findAll(BLOCK, 3), inline: findAll(INLINE, 1) };
}

/** The distinct commands of the texts. */
export function listCommands(texts: readonly ShellText[]): DocumentedCommand[] {
  const byText = new Map<string, DocumentedCommand>();
  for (const { path, line, text } of texts)
    for (const command of parseShell(text)) {
      const key = JSON.stringify(command);
      if (!byText.has(key)) byText.set(key, { ...command, place: `${path}:${line}` });
    }
  return [...byText.values()];
}
