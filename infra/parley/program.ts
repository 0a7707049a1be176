import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError, type Option } from 'commander';
import { addConnectCommand } from './connect/connect-command.ts';
import { addDashboardCommand } from './dashboard/dashboard-command.ts';
import { addDataCommands } from './data/data-commands.ts';
import { addDoctorCommand } from './doctor/doctor-command.ts';
import { EXIT_CODE } from './exit-codes.ts';
import { addJobsCommand } from './jobs/jobs-command.ts';
import { addKeysCommand } from './keys/keys-command.ts';
import { formatDuration } from './output/format.ts';
import { parseTimeOption } from './output/parse-time-option.ts';
import { addRedriveCommand } from './redrive/redrive-command.ts';
import { addRehearseCommand } from './rehearse/rehearse-command.ts';
import { addRestoreCommand } from './restore/restore-command.ts';
import { addSetupCommand } from './setup/setup-command.ts';
import { addTailCommand } from './tail/tail-command.ts';
import PACKAGE from '../../package.json' with { type: 'json' };
import { createTerminal, type Terminal } from './terminal.ts';
import { addTraceCommand } from './trace/trace-command.ts';
import { addUsageCommand } from './usage/usage-command.ts';

/** Adds a command to the program. It passes its exit code to `exit`. */
export type AddCommand = (program: Command, terminal: Terminal, exit: (code: number) => void) => void;

const COMMANDS: readonly AddCommand[] = [
  addSetupCommand,
  addDoctorCommand,
  addConnectCommand,
  addTraceCommand,
  addRedriveCommand,
  addTailCommand,
  addUsageCommand,
  addDashboardCommand,
  addKeysCommand,
  addJobsCommand,
  addDataCommands,
  addRestoreCommand,
  addRehearseCommand,
];

/** Builds the program with all its commands. */
export function createProgram(terminal: Terminal, exit: (code: number) => void): Command {
  const program = new Command('parley')
    .description('Sets up, checks and operates Parley, the bot for Slack and Discord.')
    .usage('<command> [options]')
    .helpOption('-h, --help', 'explain the command')
    .helpCommand('help [command]', 'explain a command')
    .version(PACKAGE.version, '-V, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.report(text.trimEnd()),
    })
    .showHelpAfterError('"npx parley --help" lists the commands.')
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
    .addHelpText(
      'after',
      `
Exit codes: 0 success, 1 something failed, 2 wrong arguments.
Instead of "npx parley" you can write "npm run parley --".`,
    );
  for (const add of COMMANDS) add(program, terminal, exit);
  for (const command of program.commands) pointToHelp(command, command.name());
  tab(program);
  return program;
}

/** Lets errors of a command, and of those that it groups, name its own help. */
function pointToHelp(command: Command, path: string): void {
  command.helpCommand(false).showHelpAfterError(`"npx parley ${path} --help" explains the command.`);
  for (const part of command.commands) pointToHelp(part, `${path} ${part.name()}`);
}

/** Times as people write them, and no defaults of switches. */
function describeOption({
  description,
  defaultValue,
  defaultValueDescription,
  parseArg,
  argChoices,
}: Option): string {
  const value: unknown = defaultValue;
  const text =
    parseArg === parseTimeOption && typeof value === 'number'
      ? formatDuration(value)
      : (defaultValueDescription ?? (['string', 'number'].includes(typeof value) && String(value)));
  const notes = [argChoices && `choices: ${argChoices.join(', ')}`, text && `default: ${text}`].filter(
    Boolean,
  );
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

/** Whether the arguments name no command. With `--help` behind it, Commander would print the help of the program, as if there were one. */
const isOfUnknownCommand = (program: Command, [name = '']: readonly string[]): boolean =>
  !name.startsWith('-') && name !== 'help' && !program.commands.some((command) => command.name() === name);

/** Runs the program with these arguments. Resolves with the exit code. */
export async function main(args: readonly string[], terminal: Terminal = createTerminal()): Promise<number> {
  let exitCode: number = EXIT_CODE.success;
  const program = createProgram(terminal, (code) => {
    exitCode = code;
  });
  if (args.length === 0) {
    program.outputHelp();
    return EXIT_CODE.usage;
  }
  try {
    await program.parseAsync(isOfUnknownCommand(program, args) ? args.slice(0, 1) : [...args], {
      from: 'user',
    });
    return exitCode;
  } catch (error) {
    // Commander has printed the help or the error.
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT_CODE.success : EXIT_CODE.usage;
  }
}
