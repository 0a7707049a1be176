import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { listContextOptions, listSettings, listVariables, type Table } from './tables.ts';

/** The tables that are written, by document. A document marks the place of each by two comments. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, () => Table>>>> = {
  'docs/configuration.md': { variables: listVariables, 'options of a deployment': listContextOptions },
  'docs/settings.md': { settings: listSettings },
};

/** Returns a document with its tables written from the code. Throws if a mark is missing. */
export function updateReference(page: string, tables: Readonly<Record<string, () => Table>>): string {
  return Object.entries(tables).reduce((text, [name, build]) => {
    const mark = new RegExp(
      `(<!-- Made by \`npm run reference\`: ${name}\\. -->\\n)[^]*?(\\n<!-- Until here: ${name}\\. -->)`,
      'u',
    );
    if (!mark.test(text)) throw new Error(`the document has no place for the table: ${name}`);
    return text.replace(mark, (_, start: string, end: string) => `${start}\n${formatTable(build())}${end}`);
  }, page);
}

const formatTable = ({ head, rows }: Table): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** Whether two documents differ in more than the width of their columns, which the formatter sets. */
export const isOutdated = (page: string, updated: string): boolean => squeeze(page) !== squeeze(updated);

const squeeze = (text: string): string => text.replaceAll(/ +/gu, ' ').replaceAll(/-{3,}/gu, '---');

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  for (const [path, tables] of Object.entries(DOCUMENTS)) {
    const page = await readFile(path, 'utf8');
    const updated = updateReference(page, tables);
    if (!isOutdated(page, updated)) continue;
    if (values.check) {
      console.log(`${path} is out of date: npm run format`);
      process.exitCode = 1;
    } else await writeFile(path, updated);
  }
}
