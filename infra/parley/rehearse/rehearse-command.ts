import { type Command, Option } from 'commander';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createProbe, readEnvFile } from '../../configuration/index.ts';
import { readParameters } from '../aws/deployment.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { openDeployment } from '../operator/open-system.ts';
import { OperatorError } from '../operator-error.ts';
import { runOperatorCommand } from '../operator/run-operator-command.ts';
import { formatCount } from '../output/format.ts';
import { parseTimeOption } from '../output/parse-time-option.ts';
import { readEnvText } from '../read-env-text.ts';
import { inProject } from '../project.ts';
import type { Terminal } from '../terminal.ts';
import {
  findFault,
  formatRehearsal,
  isBad,
  listFaultNames,
  type RehearsedQuestion,
  toSimulated,
  toVariables,
} from './rehearsal.ts';
import { openDashboard, rehearseOn } from './run-rehearsal.ts';
import { openDiscordStage, openSlackStage, type Stage } from './stages.ts';

const EXAMPLES = `
Starts a simulated world with the settings of .env: names of models, limits, budgets, system prompt and so on. Slack, Discord and the
models are simulated: nothing is sent to them, and nothing is spent. Three questions are asked on each platform: in a channel, in its
thread, in a direct message. It prints what people would have seen, with times. It starts in half a minute and leaves nothing behind.

Examples:
  npx parley rehearse
  npx parley rehearse --fault 429-storm
  npx parley rehearse --fault killed-worker --fault slow-tables --platform slack --timeout 5m
  npx parley rehearse --stage prod       with the parameters of a deployment

Exit codes: 0 each question was answered, or an error was shown; 1 one was lost or silent; 2 wrong arguments.`;

export type RehearseOptions = {
  readonly fault: readonly string[];
  readonly platform: 'slack' | 'discord' | 'both';
  readonly env: string;
  readonly stage?: string;
  /** ms */
  readonly timeout: number;
  readonly json: boolean;
};

const DEFAULT_FILE = inProject('.env');
const AWS_TIMEOUT_MS = 15_000;
const DEFAULT_TIMEOUT_MS = 120_000;

/** Adds `parley rehearse`. */
export function addRehearseCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('rehearse')
    .description('Ask scripted questions in a simulated world with your settings and chosen faults.')
    .option('--fault <name>', 'a fault of the dashboard, such as 429-storm; may be repeated', collect, [])
    .addOption(
      new Option('--platform <name>', 'where to ask').choices(['slack', 'discord', 'both']).default('both'),
    )
    .option('--timeout <time>', 'how long a question may take', parseTimeOption, DEFAULT_TIMEOUT_MS)
    .option('--env <file>', 'the file with the settings', DEFAULT_FILE)
    .option('--stage <name>', 'the parameters of this deployment on AWS, in place of the file')
    .option('--json', 'print JSON', false)
    .addHelpText('after', EXAMPLES)
    .action(async (options: RehearseOptions) =>
      exit(await runOperatorCommand(terminal, () => runRehearse(options, terminal))),
    );
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** Runs the rehearsal in a folder of its own, which is removed. Resolves with the exit code. */
export async function runRehearse(options: RehearseOptions, terminal: Terminal): Promise<number> {
  const { json } = options;
  const configured = await readSettings(options, terminal);
  const data = mkdtempSync(join(tmpdir(), 'parley-rehearsal-'));
  const interruption = new AbortController();
  const stop = (): void => interruption.abort();
  process.on('SIGINT', stop);
  try {
    const questions = await rehearse(data, configured, options, terminal, interruption.signal);
    const bad = questions.filter(isBad).length;
    if (json)
      terminal.print(JSON.stringify({ ok: bad === 0, faults: options.fault, questions }, undefined, 2));
    else {
      for (const line of formatRehearsal(questions, terminal.width)) terminal.print(line);
      terminal.print(
        bad === 0
          ? `${formatCount(questions.length, 'question')}: each was answered, or an error was shown.`
          : `${bad} of ${formatCount(questions.length, 'question')} lost or silent.`,
      );
    }
    return bad === 0 ? EXIT_CODE.success : EXIT_CODE.failure;
  } finally {
    process.off('SIGINT', stop);
    rmSync(data, { recursive: true, force: true });
  }
}

/** The variables of `.env`, or the parameters of a deployment. Rejects with OperatorError. */
async function readSettings(
  { env, stage }: RehearseOptions,
  terminal: Terminal,
): Promise<Readonly<Record<string, string | undefined>>> {
  if (stage === undefined) {
    const text = readEnvText(env);
    if (text === undefined && env !== DEFAULT_FILE) throw new OperatorError(`There is no file ${env}.`);
    return readEnvFile(text ?? '').variables;
  }
  const { account, stack } = await openDeployment(stage, terminal);
  return toVariables(await readParameters(account, stack, createProbe(AWS_TIMEOUT_MS)));
}

async function rehearse(
  data: string,
  configured: Readonly<Record<string, string | undefined>>,
  options: RehearseOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly RehearsedQuestion[]> {
  const { variables, models } = toSimulated(configured);
  // Loaded only here: the other commands do not need it.
  const { listFaults, startLocal, StartupError } = await import('../../local/index.ts');
  const faults = findFaults(options.fault, listFaults());
  terminal.report('Starting the simulated world ...');
  const connected = Promise.withResolvers<void>();
  const system = await startLocal({
    data,
    port: 0,
    variables,
    say: terminal.report,
    echo: (line) => {
      if (line.includes('"event":"gateway.connected"')) connected.resolve();
    },
    upstream: { extraModels: models },
  }).catch((error: unknown) => {
    if (error instanceof StartupError) throw new OperatorError(error.message);
    throw error;
  });
  try {
    // As in a system that has run for a while: what is asked before the relay is connected is lost, also on the real Discord.
    await system.emulator.warm();
    if (options.platform !== 'slack') await waitAtMost(connected.promise, CONNECT_TIMEOUT_MS, signal);
    const dashboard = await openDashboard(system.local.api);
    await switchFaults(faults, dashboard, options.timeout, terminal);
    const stages = [
      options.platform === 'discord' ? undefined : openSlackStage(system, Date.now),
      options.platform === 'slack' ? undefined : openDiscordStage(system, Date.now),
    ].filter((stage): stage is Stage => stage !== undefined);
    const deps = {
      readState: dashboard.readState,
      now: Date.now,
      sleep: (ms: number) => waitUnless(ms, signal),
      report: terminal.report,
      timeoutMs: options.timeout,
    };
    return (await Promise.all(stages.map((stage) => rehearseOn(stage, deps)))).flat();
  } finally {
    await system.close();
  }
}

const CONNECT_TIMEOUT_MS = 30_000;

async function waitUnless(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {
    throw new OperatorError('Stopped.');
  });
}

/** Waits for an event, at most so long (ms). No timer stays, which would keep the process alive. Rejects with OperatorError when the signal stops it. */
export async function waitAtMost(event: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const waiting = new AbortController();
  try {
    await Promise.race([event, waitUnless(ms, AbortSignal.any([signal, waiting.signal]))]);
  } finally {
    waiting.abort();
  }
}

/** A fault lasts at most so long. */
const MAX_FAULT_SECONDS = 3_600;
const QUESTIONS_PER_PLATFORM = 3;

type KnownFault = { readonly name: string; readonly title: string };

/** Finds the faults with these names or titles. Throws OperatorError, which lists all faults, if one does not exist. */
const findFaults = (wanted: readonly string[], all: readonly KnownFault[]): readonly KnownFault[] =>
  wanted.map((name) => {
    const fault = findFault(all, name);
    if (!fault) throw new OperatorError(`There is no fault ${name}. There are: ${listFaultNames(all)}.`);
    return fault;
  });

/** Switches these faults on, one after the other. Rejects with OperatorError, which says why, if one cannot be switched on. */
export async function switchFaults(
  faults: readonly KnownFault[],
  { switchFault }: Awaited<ReturnType<typeof openDashboard>>,
  timeoutMs: number,
  { report }: Terminal,
): Promise<void> {
  const seconds = Math.min(MAX_FAULT_SECONDS, Math.ceil((timeoutMs * QUESTIONS_PER_PLATFORM) / 1_000));
  for (const { name, title } of faults) {
    const { isOn, reason = '' } = await switchFault(name, seconds);
    if (!isOn) throw new OperatorError(`The fault ${name} cannot be switched on. ${reason}`.trim());
    report(`Fault: ${title}.`);
  }
}
