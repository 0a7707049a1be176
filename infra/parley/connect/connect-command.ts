import type { Command } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { stackName } from '../../../shared/runtime/index.ts';
import { createProbe, readEnvFile } from '../../configuration/index.ts';
import { hasAwsCredentials, loadAwsAccount } from '../aws/account.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { ConnectError } from '../aws/deployment.ts';
import { checkAfterDeploying } from '../doctor/check-after-deploying.ts';
import { runConnect } from './run-connect.ts';

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
    .option('--env <file>', 'the file with the credentials', '.env')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ConnectCommandOptions) => exit(await connect(options, terminal)));
}

/** Connects a deployment. Resolves with the exit code. */
export async function connect({ stage, env }: ConnectCommandOptions, terminal: Terminal): Promise<number> {
  const { print, report, env: environment } = terminal;
  const file = readEnvFile(existsSync(env) ? readFileSync(env, 'utf8') : '');
  if (!hasAwsCredentials(environment)) {
    report('There are no AWS credentials. Run "aws configure" or "aws sso login", or set AWS_PROFILE.');
    return EXIT_CODE.failure;
  }
  const account = await loadAwsAccount(environment);
  if ('result' in account) {
    report(`${account.name} ${account.finding} ${account.fix ?? ''}`);
    return EXIT_CODE.failure;
  }
  try {
    const variables = { ...file.variables, ...environment };
    const stack = stackName(stage);
    const isDone = await runConnect({ account, stack, variables, say: print, createProbe });
    const deployment = { account, stack, variables, now: Date.now, createProbe };
    const isInOrder = await checkAfterDeploying(deployment, print);
    return isDone && isInOrder ? EXIT_CODE.success : EXIT_CODE.failure;
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    report(error.message);
    return EXIT_CODE.failure;
  }
}
