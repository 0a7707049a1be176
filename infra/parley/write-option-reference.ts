import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isOutdated, updateReference } from '../cli/reference/write-reference.ts';
import { createProgram } from './program.ts';
import { SILENT_TERMINAL } from './terminal.ts';

const DOCUMENT = 'docs/command-line.md';

/** Returns the document with the options of all commands, as `--help` explains them. */
export const updateOptionReference = (page: string): string =>
  updateReference(page, { 'options of the commands': listOptions });

function listOptions() {
  const program = createProgram(SILENT_TERMINAL, () => undefined);
  const rows = new Map<string, readonly [term: string, meaning: string, commands: string[]]>();
  for (const [command, term, meaning] of program.commands.flatMap((one) => describeCommand(one, ''))) {
    const key = `${term} ${meaning}`;
    const known = rows.get(key) ?? [term, meaning, []];
    known[2].push(command);
    rows.set(key, known);
  }
  return {
    head: ['Argument or option', 'Meaning', 'Commands'],
    rows: [...rows.values()].map(([term, meaning, commands]) => [term, meaning, commands.join(', ')]),
  };
}

type Row = readonly [command: string, term: string, meaning: string];

/** Lists arguments and options of a command and of its subcommands. */
function describeCommand(command: Command, parent: string): Row[] {
  const name = `${parent}${command.name()}`;
  const help = command.createHelp();
  const rows = [
    ...help
      .visibleArguments(command)
      .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)] as const),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((option) => [help.optionTerm(option), help.optionDescription(option)] as const),
  ];
  return [
    ...rows.map(([term, meaning]): Row => [
      `\`${name}\``,
      `\`${term}\``,
      meaning.replaceAll('|', String.raw`\|`).replaceAll('*', String.raw`\*`),
    ]),
    ...command.commands.flatMap((child) => describeCommand(child, `${name} `)),
  ];
}

if (import.meta.main) {
  const page = await readFile(DOCUMENT, 'utf8');
  const updated = updateOptionReference(page);
  if (isOutdated(page, updated)) await writeFile(DOCUMENT, updated);
}
