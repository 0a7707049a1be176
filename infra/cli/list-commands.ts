import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandFile } from '../../shared/commands/framework/types.ts';
import { isUnderMore, onMessage as MORE } from '../../shared/commands/definitions/more-actions.ts';
import { isOnPlatform, type MessageCommandSpec } from '../../shared/commands/framework/command-spec.ts';

/**
 * `npm run format`: lists the commands, also in the docs. Whoever adds one writes its file and no line elsewhere; the bundles of the fronts take
 * of the list what commands are called, and drop what they do and say.
 */
export const COMMANDS = 'shared/commands/definitions';
export const LIST = 'shared/commands/command-list.ts';
export const PAGE = 'docs/commands.md';

/** The list, as it is to be. */
export async function listOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts')).toSorted();
  const files = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      const declared = (what: string) => new RegExp(`^export const ${what}\\b[^;]*;`, 'mu').exec(text)?.[0];
      const onMessage = declared('onMessage');
      const inDiscord = onMessage !== undefined && !onMessage.includes(`platforms: ['slack']`);
      return { name, as: called(name), typed: declared('spec') !== undefined, onMessage, inDiscord };
    }),
  );
  const found = files.filter(({ typed, onMessage }) => typed || onMessage !== undefined);
  const lines = (of: typeof files, field: string) => of.map(({ as }) => `  ${as}${field},`).join('\n');
  return `${[
    '// Written by `npm run format`, of the files in definitions/ that have a `spec` or an `onMessage`.',
    ...found.map(({ name, as }) => `import * as ${as} from './definitions/${name}';`),
    `import type { CommandFile } from './framework/types.ts';`,
    `import type { CommandSpec, MessageCommandSpec } from './framework/command-spec.ts';`,
    '',
    '/** Every command. A front imports this alone: what commands do and say falls out of its bundle. */',
    `export const COMMANDS: readonly CommandSpec[] = [\n${lines(
      files.filter(({ typed }) => typed),
      '.spec',
    )}\n];`,
    '',
    "/** Every command in Discord's menu of a message. */",
    `export const DISCORD_MESSAGE_COMMANDS: readonly MessageCommandSpec[] = [\n${lines(
      files.filter(({ inDiscord }) => inDiscord),
      '.onMessage',
    )}\n];`,
    '',
    '/** All of every one. */',
    `export const FILES: readonly CommandFile[] = [\n${lines(found, '')}\n];`,
  ].join('\n')}\n`;
}

/** `ask-about.ts` as `askAboutCommand`. */
function called(name: string): string {
  const words = name.replace(/\.ts$/u, '').replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());
  return `${words}Command`;
}

const on = (of: Parameters<typeof isOnPlatform>[0]) =>
  (['slack', 'discord'] as const).map((one) => (isOnPlatform(of, one) ? 'yes' : 'no'));

const inSlack = (of: MessageCommandSpec): string =>
  isUnderMore(of) ? `under _${MORE.label}_` : (on(of)[0] ?? '');

/** docs/commands.md with the tables of these commands. */
export function pageOf(page: string, files: readonly CommandFile[]): string {
  const byName = files.flatMap(({ spec, texts }) => {
    if (!spec) return [];
    const options = spec.options.map(({ name, required }) => (required ? name : `[${name}]`));
    const usage = `\`${[spec.name, ...options].join(' ')}\``;
    return [[usage, ...on(spec), spec.answers ?? 'private', texts['about']?.en ?? '']];
  });
  const onMessage = files.flatMap(({ onMessage: of }) =>
    of ? [[of.label, inSlack(of), on(of)[1] ?? '', of.answers ?? 'private']] : [],
  );
  return tabled(tabled(page, 'By name', byName), 'In the menu of a message', onMessage);
}

/** The page with these rows in the first table below a heading. */
const tabled = (page: string, heading: string, rows: readonly (readonly string[])[]): string =>
  page.replace(
    new RegExp(`(## ${heading}\\n\\n(?:\\|.*\\n){2})(?:\\|.*\\n)*`, 'u'),
    (_, head: string) => head + rows.map((row) => `| ${row.join(' | ')} |\n`).join(''),
  );

if (import.meta.main) {
  await writeFile(LIST, await listOf(COMMANDS));
  const { FILES } = await import('../../shared/commands/command-list.ts');
  await writeFile(PAGE, pageOf(await readFile(PAGE, 'utf8'), FILES));
}
