import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createProbe } from '../../configuration/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { OperatorError } from '../operator-error.ts';
import { openBrowser } from '../output/open-browser.ts';
import { readEnvText } from '../read-env-text.ts';
import { inProject } from '../project.ts';
import type { Terminal } from '../terminal.ts';
import { type Prompter, SetupError } from './question.ts';

export type SetupOptions = {
  readonly answers?: string;
  readonly env: string;
  readonly data: string;
  readonly port: string;
  readonly browser: boolean;
  readonly messageSearch?: boolean;
};

/** The CDK that `npm ci` installed. */
const CDK = fileURLToPath(new URL('../../../node_modules/.bin/cdk', import.meta.url));

const EXAMPLES = `
Asks at most twelve questions: where Parley runs, about the models, Slack and Discord. Each answer is tested with the real service before it is
written to .env, which keeps its other lines. What you leave out is simulated.
After an interruption, the same command continues, or begins again. Run again, it keeps what works.

Examples:
  npx parley setup                          answer questions
  npx parley setup --answers answers.json   take the answers from a file: docs/command-line.md
  npx parley setup --env other.env

Exit codes: 0 set up, 1 not finished, 2 wrong arguments.
On AWS it runs the CDK with your credentials, stores the secrets, and enters the addresses. docs/deploying.md has all options.`;

/** Adds `parley setup`. */
export function addSetupCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('setup')
    .description(
      'Connect Slack, Discord and a model server, on this machine or in your AWS account, step by step.',
    )
    .option('--answers <file>', 'take the answers from a JSON file, and ask nothing')
    .option('--env <file>', 'the file that gets the settings', inProject('.env'))
    .option('--data <folder>', 'the data folder of "npm start"', inProject('.parley'))
    .option('--port <number>', 'the port that a tunnel for Discord leads to', '3000')
    .option('--message-search', 'let the Slack app search public channels: docs/message-search.md')
    .option('--no-browser', 'only print addresses, and open none')
    .addHelpText('after', EXAMPLES)
    .action(async (options: SetupOptions) => exit(await runSetupCommand(options, terminal)));
}

/** Runs the set-up. Resolves with the exit code. */
async function runSetupCommand(options: SetupOptions, terminal: Terminal): Promise<number> {
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    terminal.report(`--port takes a number from 0 to 65535, not ${options.port}`);
    return EXIT_CODE.usage;
  }
  try {
    // Before the first question, and not after the last one.
    readEnvText(options.env);
    const prompter = await createPrompter(options, terminal);
    // Loaded only here: it loads the whole system.
    const { runSetup } = await import('./run-setup.ts');
    const { createRunCdk } = await import('./aws/run-cdk.ts');
    const session = {
      envFile: options.env,
      environment: terminal.env,
      prompter,
      say: terminal.print,
      open: (url: string) => {
        if (prompter.isInteractive && options.browser) openBrowser(url);
      },
      createProbe,
      messageSearch: options.messageSearch === true,
    };
    await runSetup(session, { data: options.data, port }, createRunCdk(CDK, terminal.env));
    return EXIT_CODE.success;
  } catch (error) {
    if (!(error instanceof SetupError || error instanceof OperatorError)) throw error;
    terminal.report(error.message);
    return EXIT_CODE.failure;
  }
}

async function createPrompter({ answers }: SetupOptions, { env }: Terminal): Promise<Prompter> {
  if (answers !== undefined) {
    const { createAnswersPrompter, parseAnswers } = await import('./answers-prompter.ts');
    return createAnswersPrompter(parseAnswers(readAnswers(answers), answers), env);
  }
  if (!process.stdin.isTTY)
    throw new SetupError('The terminal is not interactive. --answers FILE takes the answers from a file.');
  const { createTerminalPrompter } = await import('./terminal-prompter.ts');
  return createTerminalPrompter({ input: process.stdin, output: process.stdout });
}

function readAnswers(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new SetupError(`${file} cannot be read.`);
  }
}
