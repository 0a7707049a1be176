import type { Command } from 'commander';
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Check,
  CONFIG_TOKEN,
  CREDENTIALS,
  createProbe,
  getValue,
  readEnvFile,
} from '../../configuration/index.ts';
import { stackName } from '../../../shared/runtime/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { runOperatorCommand } from '../operator/run-operator-command.ts';
import { readEnvText } from '../read-env-text.ts';
import { inProject } from '../project.ts';
import type { Terminal } from '../terminal.ts';
import type { DoctorInput } from './doctor-input.ts';
import { formatJson, formatTable } from './report.ts';

export type DoctorOptions = {
  readonly json: boolean;
  readonly env: string;
  readonly data: string;
  readonly slackChannel?: string;
  readonly discordChannel?: string;
  readonly askModel: boolean;
  readonly stage?: string;
};

const EXAMPLES = `
Checks your settings in .env with the real services, and says for each mistake how to correct it. It changes nothing,
sends no message, and costs nothing, except with --ask-model. What is not set is simulated, and skipped.

Examples:
  npx parley doctor                               check everything
  npx parley doctor --slack-channel C0123456789   also check that the bot is in this channel
  npx parley doctor --stage prod                  check a deployment: its secrets, its addresses, the account
  npx parley doctor --json                        for programs

Exit codes: 0 nothing failed, 1 at least one check failed, 2 wrong arguments.
With SLACK_CONFIG_TOKEN in the environment it also checks the settings of the Slack app.`;

/** Adds `parley doctor`. */
export function addDoctorCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('doctor')
    .description(
      'Check the settings, the credentials and this machine, and say how to correct what is wrong.',
    )
    .option('--json', 'print JSON instead of a table', false)
    .option('--slack-channel <id>', 'also check that the bot is a member of this Slack channel')
    .option('--discord-channel <id>', 'also check that the bot can see this Discord channel')
    .option('--ask-model', 'also ask the model a short question, which costs some tokens', false)
    .option('--stage <name>', 'check this deployment on AWS, in place of the system on this machine')
    .option('--env <file>', 'the file with the settings', inProject('.env'))
    .option('--data <folder>', 'the data folder of "npm start"', inProject('.parley'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: DoctorOptions) =>
      exit(await runOperatorCommand(terminal, () => runDoctor(options, terminal))),
    );
}

/** Runs the checks and prints them. Resolves with the exit code. Rejects with OperatorError if the file with the settings cannot be read. */
async function runDoctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  if (!options.json) terminal.report('Checking ...');
  const input = readInput(options, terminal);
  const checks = await runChecks(input, options.stage);
  const format = { hasColors: terminal.hasColors, secrets: findSecrets(input) };
  if (options.json) terminal.print(formatJson(checks, format));
  else for (const line of formatTable(checks, format)) terminal.print(line);
  return checks.some(({ result }) => result === 'fail') ? EXIT_CODE.failure : EXIT_CODE.success;
}

/** Checks the local system, or a deployment. */
async function runChecks(input: DoctorInput, stage: string | undefined): Promise<readonly Check[]> {
  const { diagnose, diagnoseStage } = await import('./diagnose.ts');
  return stage === undefined ? await diagnose(input) : await diagnoseStage(input, stackName(stage));
}

function readInput(options: DoctorOptions, { env }: Terminal): DoctorInput {
  const path = options.env;
  const text = readEnvText(path);
  const exists = text !== undefined;
  return {
    nodeVersion: process.versions.node,
    envFile: {
      path,
      exists,
      // Windows has no such permissions.
      mode: exists && process.platform !== 'win32' ? statSync(path).mode & 0o777 : undefined,
      text: text ?? '',
    },
    environment: env,
    engineLog: readEnd(join(options.data, 'logs', 'engine.log')),
    slackChannel: options.slackChannel,
    discordChannel: options.discordChannel,
    shouldAskModel: options.askModel,
    now: Date.now,
    createProbe,
  };
}

const MAX_LOG_BYTES = 256 * 1024;

/** Reads the last part of a log. Empty if there is none. */
function readEnd(file: string): string {
  if (!existsSync(file)) return '';
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    const end = Buffer.alloc(Math.min(size, MAX_LOG_BYTES));
    readSync(handle, end, 0, end.length, size - end.length);
    return end.toString('utf8');
  } finally {
    closeSync(handle);
  }
}

/** Returns the values of all credentials. */
function findSecrets({ envFile, environment }: DoctorInput): string[] {
  const variables = { ...readEnvFile(envFile.text).variables, ...environment };
  return [...CREDENTIALS, CONFIG_TOKEN].flatMap((name) => getValue(variables, name) ?? []);
}
