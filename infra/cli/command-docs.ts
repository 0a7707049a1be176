import {
  type CommandFile,
  isMoreAction,
  MORE_ACTIONS_COMMAND,
  isOnPlatform,
  type MessageCommandSpec,
} from '../../shared/commands/index.ts';

const getPlatformCells = (of: Parameters<typeof isOnPlatform>[0]) =>
  (['slack', 'discord'] as const).map((one) => (isOnPlatform(of, one) ? 'yes' : 'no'));

const getSlackCell = (of: MessageCommandSpec): string =>
  isMoreAction(of) ? `under _${MORE_ACTIONS_COMMAND.label}_` : (getPlatformCells(of)[0] ?? '');

/** Returns docs/commands.md with updated tables. */
export function updateDocs(page: string, files: readonly CommandFile[]): string {
  const codesByName = files.flatMap(({ spec, texts }) => {
    if (!spec) return [];
    const options = spec.options.map(({ name, required }) => (required ? name : `[${name}]`));
    const usage = `\`${[spec.name, ...options].join(' ')}\``;
    return [[usage, ...getPlatformCells(spec), spec.answers ?? 'private', texts['about']?.en ?? '']];
  });
  const messageCommand = files.flatMap(({ messageCommand: of }) =>
    of ? [[of.label, getSlackCell(of), getPlatformCells(of)[1] ?? '', of.answers ?? 'private']] : [],
  );
  return replaceRows(replaceRows(page, 'By name', codesByName), 'In the menu of a message', messageCommand);
}

/** Replaces the rows of the first table below a heading. */
const replaceRows = (page: string, heading: string, rows: readonly (readonly string[])[]): string =>
  page.replace(
    new RegExp(`(## ${heading}\\n\\n(?:\\|.*\\n){2})(?:\\|.*\\n)*`, 'u'),
    (_, head: string) => head + rows.map((row) => `| ${row.join(' | ')} |\n`).join(''),
  );
