import { type Command, InvalidArgumentError, Option } from 'commander';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LogLevel, LogRecord } from '../../dashboard/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { parseMessageReference, REFERENCE_HELP } from '../operator/message-reference.ts';
import { listLogGroups } from '../operator/cloudwatch-logs.ts';
import { openDeployment } from '../operator/open-system.ts';
import { AwsCallError } from '../operator/operator-call.ts';
import { createDeploymentLogs, createLocalLogs, tellGaps } from '../operator/read-logs.ts';
import {
  addOperatorOptions,
  type OperatorOptions,
  runOperatorCommand,
} from '../operator/run-operator-command.ts';
import { OperatorError } from '../operator-error.ts';
import { parseTimeOption } from '../output/parse-time-option.ts';
import type { Terminal } from '../terminal.ts';
import { followLogFiles, type FollowLogs, followSearch } from './follow-logs.ts';
import { formatRecord } from './format-record.ts';
import { createRecordFilter, LEVELS, type RecordFilter, toQuery } from './record-filter.ts';

const EXAMPLES = `
Follows the logs of all functions until Ctrl+C. Times are UTC. Log lines have names, ids and numbers: never what people write, and no
secrets. The logs of the local system can be followed before it starts.

Examples:
  npx parley tail                                        everything from now on
  npx parley tail --level warn --since 1h                warnings and errors, of the last hour too
  npx parley tail --event 'answer.*' --stage prod        answers of a deployment
  npx parley tail --thread https://acme.slack.com/archives/C0123456789/p1700000000000100
  npx parley tail --since 10m --no-follow --json         the last ten minutes, a line of JSON each

Exit codes: 0 ended, 1 the logs cannot be read, 2 wrong arguments.`;

export type TailOptions = OperatorOptions & {
  readonly thread?: string;
  readonly level: LogLevel;
  readonly event?: string;
  /** ms */
  readonly since?: number;
  readonly follow: boolean;
};

/** Adds `parley tail`. */
export function addTailCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  addOperatorOptions(
    program
      .command('tail')
      .description('Follow the logs of all functions.')
      .option(
        '--thread <link or id>',
        'only lines about this message or the thread that it began',
        parseThread,
      )
      .addOption(new Option('--level <level>', 'only this level and above').choices(LEVELS).default('info'))
      .option('--event <name>', "only events of this name; * stands for any characters: 'answer.*'")
      .option('--since <time>', 'also earlier lines, such as 15m or 2h', parseTimeOption)
      .option('--no-follow', 'end after the earlier lines'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (options: TailOptions) => {
      const stopping = new AbortController();
      // Ctrl+C arrives twice, from the terminal and from npm.
      process.on('SIGINT', () => stopping.abort());
      exit(await runOperatorCommand(terminal, () => runTail(options, terminal, stopping.signal)));
    });
}

function parseThread(input: string): string {
  const { message } = parseMessageReference(input) ?? {};
  if (message === undefined) throw new InvalidArgumentError(REFERENCE_HELP);
  return message;
}

const LOCAL_POLL_MS = 300;
/** AWS allows few searches per second. */
const DEPLOYMENT_POLL_MS = 3_000;

/** Prints log lines until `signal` aborts. Resolves with the exit code. */
export async function runTail(
  options: TailOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { follow: poll, past, pollMs } = await openLogs(options, terminal);
  const isWanted = createRecordFilter(toFilter(options));
  const show = (records: readonly LogRecord[]): void => {
    for (const record of records)
      if (isWanted(record))
        terminal.print(options.json ? JSON.stringify(record) : formatRecord(record, terminal));
  };
  if (options.follow) await poll();
  show(await past());
  if (!options.follow) return EXIT_CODE.success;
  terminal.report('Following the logs. Ctrl+C ends it.');
  const tolerant = tolerateFailures(poll, terminal);
  while (!signal.aborted) {
    show(await tolerant());
    await wait(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return EXIT_CODE.success;
}

/** An interrupted network does not end the command. It prints one message for each interruption. */
export function tolerateFailures(poll: FollowLogs, { report }: Pick<Terminal, 'report'>): FollowLogs {
  let isFailing = false;
  return async () => {
    try {
      const records = await poll();
      if (isFailing) report('The logs can be read again.');
      isFailing = false;
      return records;
    } catch (error) {
      if (!(error instanceof AwsCallError) || !error.isTemporary) throw error;
      if (!isFailing) report(`${error.message} Trying again ...`);
      isFailing = true;
      return [];
    }
  };
}

const toFilter = ({ thread, level, event }: TailOptions): RecordFilter => ({ message: thread, level, event });

type OpenedLogs = {
  readonly past: () => Promise<readonly LogRecord[]>;
  readonly follow: FollowLogs;
  readonly pollMs: number;
};

async function openLogs(options: TailOptions, terminal: Terminal): Promise<OpenedLogs> {
  const { stage, data, since = 0 } = options;
  const now = Date.now;
  const startedAt = now();
  const fromMs = startedAt - since;
  const isPast = since > 0;
  if (stage === undefined) {
    const read = createLocalLogs(data);
    const past = async () => (isPast ? (await read({ fromMs, untilMs: now() })).records : []);
    return { past, follow: followLogFiles(join(data, 'logs'), now), pollMs: LOCAL_POLL_MS };
  }
  const { call, stack } = await openDeployment(stage, terminal);
  if ((await listLogGroups(call, stack)).length === 0)
    throw new OperatorError(
      `${stack} has no log groups in this region: was it deployed completely? Its events say why: aws cloudformation describe-stack-events --stack-name ${stack}`,
    );
  const read = tellGaps(createDeploymentLogs(call, stack, now), terminal);
  const follow = followSearch(read, { fromMs, anyOf: toQuery(toFilter(options)) }, now);
  // The first search has the earlier lines.
  let first: readonly LogRecord[] | undefined;
  return {
    past: async () => (isPast ? (first ?? (await follow())) : []),
    follow: async () => {
      const records = await follow();
      if (first !== undefined) return records;
      first = records;
      return [];
    },
    pollMs: DEPLOYMENT_POLL_MS,
  };
}
