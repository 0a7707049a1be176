import { type Command, InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { messageId } from '../../../shared/domain/index.ts';
import type { MessageLedger } from '../../dashboard/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import {
  type MessageReference,
  parseMessageReference,
  REFERENCE_HELP,
} from '../operator/message-reference.ts';
import { findLogGap } from '../operator/log-gap.ts';
import { openSystem } from '../operator/open-system.ts';
import { OperatorError } from '../operator-error.ts';
import { createLocalLogs, createSystemLogs } from '../operator/read-logs.ts';
import {
  addOperatorOptions,
  type OperatorOptions,
  runOperatorCommand,
} from '../operator/run-operator-command.ts';
import { findDiscordParent, findSlackTeam, openTurns } from '../operator/turns.ts';
import { parseTimeOption } from '../output/parse-time-option.ts';
import { withProgress } from '../output/progress.ts';
import type { Terminal } from '../terminal.ts';
import { formatTrace } from './format-trace.ts';
import { traceMessage, type TraceSources } from './trace-message.ts';

const EXAMPLES = `
Shows one message from its event to the final update of the answer: times, waits, attempts, model, tokens, cost, requests, errors.
It never shows what people or models wrote. ${REFERENCE_HELP}

Examples:
  npx parley trace https://acme.slack.com/archives/C0123456789/p1700000000000100
  npx parley trace 1700000000.000100 --stage prod
  npx parley trace https://discord.com/channels/2010.../3010.../4010... --stage prod --json

Exit codes: 0 found, 1 nothing is known of it or the system cannot be read, 2 wrong arguments.`;

export type TraceOptions = OperatorOptions & {
  /** ms */
  readonly window: number;
};

/** Adds `parley trace`. */
export function addTraceCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  addOperatorOptions(
    program
      .command('trace')
      .description(
        'Show one message from its event to the final update: times, attempts, tokens, cost, API calls, errors.',
      )
      .argument('<message>', 'a link to the message, its id, or the id of its trace', parseArgument)
      .option(
        '--window <time>',
        'how long after the message logs are searched, such as 30m or 2d',
        parseTimeOption,
        DEFAULT_WINDOW_MS,
      ),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (reference: MessageReference, options: TraceOptions) =>
      exit(await runOperatorCommand(terminal, () => runTrace(reference, options, terminal))),
    );
}

const DEFAULT_WINDOW_MS = 2 * 60 * 60_000;

function parseArgument(input: string): MessageReference {
  const reference = parseMessageReference(input);
  if (reference === undefined) throw new InvalidArgumentError(REFERENCE_HELP);
  return reference;
}

async function runTrace(
  reference: MessageReference,
  options: TraceOptions,
  terminal: Terminal,
): Promise<number> {
  const sources = await openSources(options, terminal);
  const report = await withProgress(terminal, 'Searching the logs ...', () =>
    traceMessage(reference, options.window, sources),
  );
  if (report === undefined) {
    const gap = await sources.findLogGap();
    throw new OperatorError(
      `Nothing is known of this message. ${gap ?? 'The bot answers mentions, direct messages and threads that it takes part in. Check the link, --stage, and --window (logs are kept for 30 days).'}`,
    );
  }
  if (options.json) terminal.print(JSON.stringify(report, undefined, 2));
  else for (const line of formatTrace(report, terminal)) terminal.print(line);
  return EXIT_CODE.success;
}

/** The logs of the local system are read even if it does not run. */
async function openSources(options: TraceOptions, terminal: Terminal): Promise<TraceSources> {
  const system = await openSystem(options, terminal).catch((error: unknown) => {
    if (options.stage !== undefined || !(error instanceof OperatorError)) throw error;
    terminal.report(`${error.message} Only its logs are read.`);
    return undefined;
  });
  const now = Date.now;
  const readLogs = system ? createSystemLogs(system, now) : createLocalLogs(options.data);
  const turns = system && openTurns(system);
  return {
    readLogs,
    findLogGap: async () => system && findLogGap(system),
    now,
    findTurn: (thread, message) =>
      orNothing(async () => turns?.findByMessage(thread, messageId(message)), terminal),
    readLedger: async (trace) => (system?.kind === 'local' ? readLedger(system.api, trace) : undefined),
    slackTeam: () => orNothing(async () => system && findSlackTeam(system), terminal),
    discordParent: (channel) => orNothing(async () => system && findDiscordParent(system, channel), terminal),
  };
}

/** A source that cannot be read is reported; the others are shown. */
async function orNothing<T>(
  read: () => Promise<T | undefined>,
  { report }: Pick<Terminal, 'report'>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    report(error.message);
    return undefined;
  }
}

const SERVICE_TIMEOUT_MS = 8_000;
const ledgerSchema = v.object({
  row: v.looseObject({ trace: v.string() }),
  entries: v.array(v.unknown()),
  calls: v.array(v.unknown()),
});

/** Asks the dashboard of the local system, which knows the names of channels. Undefined if it does not answer. */
async function readLedger(api: string, trace: string): Promise<MessageLedger | undefined> {
  try {
    const signal = AbortSignal.timeout(SERVICE_TIMEOUT_MS);
    const page = await fetch(`${api}/dashboard`, { redirect: 'manual', signal });
    const url = new URL(`/message?trace=${encodeURIComponent(trace)}`, page.headers.get('location') ?? '');
    const content: unknown = await (await fetch(url, { signal })).json();
    return isLedger(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** This version of the local system wrote it. */
const isLedger = (content: unknown): content is MessageLedger => v.is(ledgerSchema, content);
