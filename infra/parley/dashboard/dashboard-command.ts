import { type Command, InvalidArgumentError } from 'commander';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { createProbe } from '../../configuration/index.ts';
import { readParameters } from '../aws/deployment.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { openDeployment, openLocalSystem } from '../operator/open-system.ts';
import { parseWorkspace, type Workspace } from '../operator/parse-workspace.ts';
import {
  addOperatorOptions,
  type OperatorOptions,
  runOperatorCommand,
} from '../operator/run-operator-command.ts';
import { hasBrowser, openBrowser } from '../output/open-browser.ts';
import { withProgress } from '../output/progress.ts';
import type { Terminal } from '../terminal.ts';
import type { DeploymentOptions } from './deployment-parts.ts';
import { createDeploymentSource } from './deployment-source.ts';
import { serveDashboard } from './serve-dashboard.ts';

const EXAMPLES = `
Opens the operator's page: times, waits, tokens, dollars, limits, queues, errors, jobs, feedback, and the ledger of each message. The page
of the system on this machine is part of "npm start". With --stage this command serves the page of a deployment on this machine until
Ctrl+C, with your AWS credentials. It changes nothing there. docs/dashboard.md has the rights that it needs, and what it costs.

Examples:
  npx parley dashboard
  npx parley dashboard --stage prod
  npx parley dashboard --stage prod --workspace slack:T0123456789    usage of one workspace: cheap in a large deployment
  npx parley dashboard --stage prod --port 8080 --no-browser          for a tunnel

Exit codes: 0 ended, 1 the system cannot be read, 2 wrong arguments.`;

export type DashboardOptions = OperatorOptions & {
  readonly workspace: readonly Workspace[];
  readonly port: number;
  readonly browser: boolean;
};

/** Adds `parley dashboard`. */
export function addDashboardCommand(
  program: Command,
  terminal: Terminal,
  exit: (code: number) => void,
): void {
  addOperatorOptions(
    program
      .command('dashboard')
      .description("Open the operator's page of the system on this machine or of a deployment.")
      .option(
        '--workspace <platform:id>',
        'usage of this workspace or guild only; may be repeated',
        (input: string, before: readonly Workspace[]) => [...before, parseWorkspace(input)],
        [],
      )
      .option('--port <number>', 'the port of the page of a deployment; 0 is a free one', parsePort, 0)
      .option('--no-browser', 'print the address only'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (options: DashboardOptions) => {
      const stopping = new AbortController();
      // Ctrl+C arrives twice, from the terminal and from npm.
      process.on('SIGINT', () => stopping.abort());
      exit(await runOperatorCommand(terminal, () => runDashboard(options, terminal, stopping.signal)));
    });
}

const MAX_PORT = 65_535;

function parsePort(input: string): number {
  if (/^\d{1,5}$/u.test(input) && Number(input) <= MAX_PORT) return Number(input);
  throw new InvalidArgumentError(`A port from 0 to ${MAX_PORT}.`);
}

/** Opens the page. Of a deployment it is served until `signal` aborts. Resolves with the exit code. */
export async function runDashboard(
  options: DashboardOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const show = (system: string, url: string): void => {
    terminal.print(options.json ? JSON.stringify({ system, url }) : url);
    const isPerson = terminal.width !== undefined && !options.json;
    if (options.browser && isPerson && hasBrowser(terminal.env)) openBrowser(url);
    else if (isPerson) terminal.report('Open this address in a browser.');
  };
  if (options.stage === undefined) {
    const { name, api } = openLocalSystem(options.data);
    show(name, `${api}/dashboard`);
    return EXIT_CODE.success;
  }
  const deployment = await withProgress(terminal, 'Reading the deployment ...', () =>
    openDashboardOptions(options.stage ?? '', options.workspace, terminal),
  );
  const page = await serveDashboard(createDeploymentSource(deployment), options.port, deployment.reportError);
  show(deployment.system.name, page.url);
  terminal.report(`This is the page of ${deployment.system.name}. Ctrl+C ends it.`);
  if (!signal.aborted) await once(signal, 'abort');
  await page.close();
  return EXIT_CODE.success;
}

const AWS_TIMEOUT_MS = 15_000;

async function openDashboardOptions(
  stage: string,
  workspaces: readonly Workspace[],
  terminal: Terminal,
): Promise<DeploymentOptions> {
  const now = Date.now;
  const system = await openDeployment(stage, terminal);
  const parameters = await readParameters(system.account, system.stack, createProbe(AWS_TIMEOUT_MS));
  return {
    system,
    call: system.call,
    workspaces,
    zone: parameters['TimeZone'] ?? 'UTC',
    hasAccounts: parameters['Accounts'] === 'on',
    now,
    // A page that is closed does not wait for the rest.
    wait: (ms) => wait(ms, undefined, { ref: false }),
    reportError: (error) =>
      terminal.report(error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown error.'),
  };
}
