import type { Command } from 'commander';
import { EXIT_CODE } from '../exit-codes.ts';
import { openAccount } from '../operator/open-account.ts';
import { OperatorError } from '../operator-error.ts';
import { runOperatorCommand } from '../operator/run-operator-command.ts';
import type { Terminal } from '../terminal.ts';
import { restoreTable, type RestoreResult } from './restore-table.ts';

const EXAMPLES = `
AWS restores a table as a new one. This command then copies what the table of the deployment has lost: docs/runbook.md, "Restore a table".
It changes no item that exists, and can be repeated.

Examples:
  npx parley restore --from T-restored --to T                         count what is missing
  npx parley restore --from T-restored --to T --write                 copy it
  npx parley restore --from T-restored --to T --only slack#T0123456789 --write    one workspace

Exit codes: 0 done, 1 not or not completely done, 2 wrong arguments.`;

export type RestoreCommandOptions = {
  readonly from: string;
  readonly to: string;
  readonly only?: string;
  readonly write: boolean;
};

/** Adds `parley restore`. */
export function addRestoreCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('restore')
    .description('Copy what a table has lost from a restored copy of it.')
    .requiredOption('--from <table>', 'the restored table')
    .requiredOption('--to <table>', 'the table that has lost items')
    .option('--only <text>', 'only items whose partition key contains this text, such as slack#T0123456789')
    .option('--write', 'copy; without it the missing items are only counted', false)
    .addHelpText('after', EXAMPLES)
    .action(async (options: RestoreCommandOptions) =>
      exit(await runOperatorCommand(terminal, () => runRestore(options, terminal))),
    );
}

/** How many items lie between two reports of the progress. */
const REPORTED_ITEMS = 10_000;

/** Copies or counts the missing items. Resolves with the exit code; rejects with OperatorError. */
export async function runRestore(
  { from, to, only, write }: RestoreCommandOptions,
  terminal: Terminal,
): Promise<number> {
  if (from === to) throw new OperatorError('--from and --to are the same table.');
  // Each write has a condition, so that it may be sent again.
  const { call } = await openAccount(terminal, () => true);
  let done: RestoreResult = { read: 0, missing: 0 };
  const onPage = (result: RestoreResult): void => {
    const isDue = Math.floor(result.read / REPORTED_ITEMS) > Math.floor(done.read / REPORTED_ITEMS);
    done = result;
    if (isDue) terminal.report(`${result.read} items read ...`);
  };
  try {
    done = await restoreTable({ from, to, only, write, now: Date.now() }, call, onPage);
  } catch (error) {
    if (!(error instanceof OperatorError) || done.read === 0) throw error;
    throw new OperatorError(
      `${error.message} Until then ${done.read} items were read. Run the same command again: it changes no item that exists.`,
    );
  }
  const { read, missing } = done;
  const result = write ? `written to ${to}` : `missing in ${to}: with --write they are copied`;
  terminal.print(`${read} items read in ${from}, ${missing} of them ${result}.`);
  return EXIT_CODE.success;
}
