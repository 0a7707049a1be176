import { type Command, Option } from 'commander';
import { EXIT_CODE } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { inProject } from '../project.ts';
import { OperatorError } from '../operator-error.ts';
import type { SystemChoice } from './open-system.ts';

/** Options of every command about a running system. */
export type OperatorOptions = SystemChoice & { readonly json: boolean };

/** Adds `--stage`, `--data` and `--json`. */
export const addOperatorOptions = (command: Command): Command =>
  command
    .addOption(new Option('--stage <name>', 'a deployment on AWS, in place of the system on this machine'))
    .option('--data <folder>', 'the data folder of "npm start"', inProject('.parley'))
    .option('--json', 'print JSON instead of a table', false);

/** Runs a command. An error that the person can correct is reported, and ends it with exit code 1. */
export async function runOperatorCommand(
  { report }: Pick<Terminal, 'report'>,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    report(error.message);
    return EXIT_CODE.failure;
  }
}
