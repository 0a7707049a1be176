import type { Command } from 'commander';
import { readFileSync, statSync } from 'node:fs';
import { stackName } from '../../../shared/runtime/index.ts';
import {
  createProbe,
  formatChecks,
  getFailed,
  getValue,
  readCheckedConfig,
  readEnvFile,
  type Variables,
} from '../../configuration/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { OperatorError } from '../operator-error.ts';
import { openAccount } from '../operator/open-account.ts';
import { runOperatorCommand } from '../operator/run-operator-command.ts';
import { inProject } from '../project.ts';
import type { Terminal } from '../terminal.ts';
import { checkAfterDeploying } from '../doctor/check-after-deploying.ts';
import { runConnect } from './run-connect.ts';
import { STORED_VARIABLES } from './store-secrets.ts';

export type ConnectCommandOptions = { readonly stage: string; readonly env: string };

const EXAMPLES = `
After "npx cdk deploy": stores SLACK_SIGNING_SECRET, SLACK_BOT_TOKEN, DISCORD_BOT_TOKEN and UPSTREAM_API_KEY of .env in the
secrets of the deployment, enters its addresses at Slack and Discord, and checks it, as a short form of "parley doctor". It can
be repeated: what is right stays as it is.
An app of Slack or Discord has one address, so a system on your machine gets nothing from it any more.

Examples:
  npx parley connect --stage prod
  SLACK_CONFIG_TOKEN=xoxe.xoxp-... npx parley connect --stage prod    also change the settings of the Slack app

Exit codes: 0 all done, 1 something is left to do, 2 wrong arguments.`;

/** Adds `parley connect`. */
export function addConnectCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('connect')
    .description(
      'Store the credentials in a deployment on AWS, and enter its addresses at Slack and Discord.',
    )
    .requiredOption('--stage <name>', 'the stage of the deployment, as in npx cdk deploy -c stage=prod')
    .option('--env <file>', 'the file with the credentials', DEFAULT_FILE)
    .addHelpText('after', EXAMPLES)
    .action(async (options: ConnectCommandOptions) => exit(await connect(options, terminal)));
}

/** Connects a deployment. Resolves with the exit code. */
export const connect = (options: ConnectCommandOptions, terminal: Terminal): Promise<number> =>
  runOperatorCommand(terminal, () => connectDeployment(options, terminal));

async function connectDeployment({ stage, env }: ConnectCommandOptions, terminal: Terminal): Promise<number> {
  const variables = readVariables(env, terminal);
  const { account } = await openAccount(terminal);
  const stack = stackName(stage);
  const isDone = await runConnect({ account, stack, variables, say: terminal.print, createProbe });
  const deployment = { account, stack, variables, now: Date.now, createProbe };
  const isInOrder = await checkAfterDeploying(deployment, terminal.print);
  return isDone && isInOrder ? EXIT_CODE.success : EXIT_CODE.failure;
}

const DEFAULT_FILE = inProject('.env');

/** Returns the variables of the file and the environment. Throws OperatorError if a credential is malformed: it would replace one that works. */
function readVariables(path: string, { env, report }: Terminal): Variables {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  if (!isFile && path !== DEFAULT_FILE) throw new OperatorError(`There is no file ${path}.`);
  if (!isFile) report(`There is no file ${path} here: only the variables of the environment are used.`);
  const file = readEnvFile(isFile ? readFileSync(path, 'utf8') : '');
  for (const line of formatChecks(file.checks)) report(line);
  const variables = { ...file.variables, ...env };
  const malformed = getFailed(readCheckedConfig(variables).checks).filter(
    ({ name }) => STORED_VARIABLES.includes(name) && getValue(variables, name) !== undefined,
  );
  if (malformed.length > 0)
    throw new OperatorError(['Nothing was stored:', ...formatChecks(malformed)].join('\n'));
  return variables;
}
