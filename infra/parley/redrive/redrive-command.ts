import { type Command } from 'commander';
import { EXIT_CODE } from '../exit-codes.ts';
import { confirmAction, type ConfirmOptions } from '../operator/confirm.ts';
import {
  addFollowOptions,
  COMMAND_CLOCK,
  type CommandClock,
  type FollowOptions,
} from '../operator/follow-work.ts';
import { getOutput, openSystem, type SystemAccess } from '../operator/open-system.ts';
import { OperatorError } from '../operator-error.ts';
import { countMessages, type QueuedMessage } from '../operator/queues.ts';
import { createSystemLogs, type ReadLogs, tellGaps } from '../operator/read-logs.ts';
import {
  addOperatorOptions,
  type OperatorOptions,
  runOperatorCommand,
} from '../operator/run-operator-command.ts';
import { findSlackTeam, openTurns } from '../operator/turns.ts';
import { messageId } from '../../../shared/domain/index.ts';
import { formatCount, formatDuration } from '../output/format.ts';
import { parseTimeOption } from '../output/parse-time-option.ts';
import { withProgress } from '../output/progress.ts';
import { formatTable } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';
import { type DeadLetter, findUnknown, isChosen, toDeadLetter, parseTrace } from './dead-letter.ts';
import { findFailedQuestions, MAX_QUESTIONS } from './failed-questions.ts';
import { followRedriven } from './follow-redrive.ts';
import { holdLetters, type LetterHold } from './hold-letters.ts';
import { type GivenUp, type PutBack, putBack } from './put-back.ts';

const EXAMPLES = `
Without ids it lists what was given up: tasks on the dead-letter queue, and questions for which people saw an error in place of an answer.
With ids or --all it puts them back on the queue, in the order of each thread, and waits until each is done or has failed again. A question is
answered again in place of its error. It can be repeated: what is answered or on its way is not put back twice.

Examples:
  npx parley redrive                                  list, of the last 24 hours
  npx parley redrive --stage prod --since 3d          list, of a deployment
  npx parley redrive 1700000000.000100 --dry-run      what would happen to this question
  npx parley redrive --all --yes --stage prod         put all back without asking
  npx parley redrive --all --yes --no-wait            do not wait until they are done

Exit codes: 0 done (with --no-wait: put back), 1 something failed again, is not done in time or was not put back, 2 wrong arguments.`;

export type RedriveOptions = OperatorOptions &
  FollowOptions &
  ConfirmOptions & { readonly all: boolean; /** ms */ readonly since: number };

const DEFAULT_SINCE_MS = 24 * 60 * 60_000;
/** A task that fails is tried again for some minutes. */
const DEFAULT_TIMEOUT_MS = 5 * 60_000;

/** Adds `parley redrive`. */
export function addRedriveCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const command = addOperatorOptions(
    program
      .command('redrive')
      .description('List dead letters and failed questions with their reason, and put chosen ones back.')
      .argument('[ids...]', 'which to put back; without ids they are listed')
      .option('--all', 'put all of the list back', false)
      .option(
        '--since <time>',
        'how far back failed questions are searched, such as 30m or 3d',
        parseTimeOption,
        DEFAULT_SINCE_MS,
      )
      .option('--dry-run', 'only show what would be put back', false)
      .option('--yes', 'do not ask for confirmation', false),
  );
  addFollowOptions(command, DEFAULT_TIMEOUT_MS)
    .addHelpText('after', EXAMPLES)
    .action(async (ids: readonly string[], options: RedriveOptions) =>
      exit(await runOperatorCommand(terminal, () => runRedrive(ids, options, terminal))),
    );
}

const HINT =
  '"npx parley redrive ID" puts one back, --all puts all back. "npx parley trace ID" shows a question.';

type GivenUpWork = GivenUp & {
  readonly letters: readonly DeadLetter[];
  /** Whether there are dead letters that are not in the list. */
  readonly hasOthers: boolean;
};

async function runRedrive(
  ids: readonly string[],
  options: RedriveOptions,
  terminal: Terminal,
): Promise<number> {
  return redrive(await openSystem(options, terminal), ids, options, terminal);
}

/** Lists what was given up, or puts it back and follows it. Resolves with the exit code; rejects with OperatorError. */
export async function redrive(
  system: SystemAccess,
  ids: readonly string[],
  options: RedriveOptions,
  terminal: Terminal,
  clock: CommandClock = COMMAND_CLOCK,
): Promise<number> {
  const hold = await holdLetters(system, getOutput(system, 'TasksDeadUrl'), clock.now);
  const holdingSystem: SystemAccess = { ...system, call: hold.call };
  let result: PutBack | undefined;
  const sinceMs = clock.now();
  try {
    const work = await withProgress(terminal, 'Searching the logs ...', () =>
      findAll(holdingSystem, hold, { sinceMs: options.since, now: clock.now }, terminal),
    );
    if (ids.length === 0 && !options.all) {
      printLetters(work, options, terminal);
      if (!options.json && work.letters.length > 0) terminal.print(`\n${HINT}`);
      return EXIT_CODE.success;
    }
    const chosen = await choose(system, work, ids, options, terminal);
    result = await putBack(holdingSystem, hold, work, chosen, terminal);
  } finally {
    await hold.release();
  }
  const { tasks, isComplete } = result;
  const code =
    tasks.length === 0 || !options.wait
      ? EXIT_CODE.success
      : await followRedriven(system, { tasks, sinceMs }, options, terminal, clock);
  return isComplete ? code : EXIT_CODE.failure;
}

async function findAll(
  system: SystemAccess,
  hold: LetterHold,
  { sinceMs, now }: { readonly sinceMs: number; readonly now: () => number },
  terminal: Terminal,
): Promise<GivenUpWork> {
  const untilMs = now();
  const readLogs = tellGaps(createSystemLogs(system, now), terminal);
  const turns = openTurns(system);
  const records = await readTraces(readLogs, hold.list(), untilMs);
  const { questions, unnamed, isCut } = await findFailedQuestions(
    { fromMs: untilMs - sinceMs, untilMs },
    {
      readLogs,
      findTurn: (thread, message) => turns.findByMessage(thread, messageId(message)),
      slackTeam: () => findSlackTeam(system),
    },
  );
  if (unnamed > 0)
    terminal.report(
      `${formatCount(unnamed, 'failed answer')} left out: the logs do not name the question, or it is erased.`,
    );
  if (isCut)
    terminal.report(
      `Only the first ${MAX_QUESTIONS} failed questions are in the list. Put them back, then run this again for the next ones; or choose a shorter --since.`,
    );
  const messages = await hold.renew();
  const hasOthers = await reportOthers(system, messages.length, terminal);
  const letters = [
    ...messages.map((message) => toDeadLetter(message, records)),
    ...questions.map(({ letter }) => letter),
  ];
  return { letters, messages, questions, hasOthers };
}

/** Says how many dead letters are not in the list, and why. Resolves with whether there are any. */
async function reportOthers(
  system: SystemAccess,
  listed: number,
  { report }: Pick<Terminal, 'report'>,
): Promise<boolean> {
  const { visible, hidden } = await countMessages(system.call, getOutput(system, 'TasksDeadUrl'));
  const others = Math.max(0, visible + hidden - listed);
  const elsewhere = Math.min(others, Math.max(0, hidden - listed));
  if (elsewhere > 0)
    report(
      `${formatCount(elsewhere, 'dead letter')} left out: "dead-letters" is handling them. Look again in 3 minutes.`,
    );
  if (others > elsewhere)
    report(
      `${formatCount(others - elsewhere, 'dead letter')} left out: SQS does not give them yet, such as those behind ten others of their thread. Run this again afterwards.`,
    );
  return others > 0;
}

async function readTraces(readLogs: ReadLogs, messages: readonly QueuedMessage[], now: number) {
  const traces = [...new Set(messages.flatMap((message) => parseTrace(message) ?? []))];
  if (traces.length === 0) return [];
  const fromMs = Math.min(...messages.map(({ sentAt }) => sentAt)) - DEFAULT_SINCE_MS;
  const { records } = await readLogs({
    fromMs,
    untilMs: now,
    anyOf: traces.map((trace) => ['trace', trace] as const),
  });
  return records;
}

function printLetters(
  { letters, hasOthers }: Pick<GivenUpWork, 'letters' | 'hasOthers'>,
  options: RedriveOptions,
  { print, width }: Terminal,
): void {
  if (options.json) return print(JSON.stringify({ letters }, undefined, 2));
  if (letters.length === 0)
    return print(
      `There are no ${hasOthers ? 'other ' : ''}dead letters, and no failed questions in this time (--since).`,
    );
  const now = Date.now();
  const lines = formatTable(
    letters,
    [
      { title: 'Id', cell: ({ id }) => id, isWhole: true },
      { title: 'Age', cell: ({ at }) => (at === 0 ? '-' : formatDuration(now - at)), isNumber: true },
      {
        title: 'What',
        cell: ({ source, kind }) => (source === 'dead letter' ? `${source}: ${kind}` : source),
      },
      { title: 'Reason', cell: ({ reason }) => reason },
      { title: 'Thread', cell: ({ thread }) => thread },
    ],
    width,
  );
  for (const line of lines) print(line);
}

/** Returns those that the person chose and confirmed; none otherwise. Rejects with OperatorError. */
async function choose(
  system: Pick<SystemAccess, 'name'>,
  { letters, hasOthers }: GivenUpWork,
  ids: readonly string[],
  options: RedriveOptions,
  terminal: Terminal,
): Promise<readonly DeadLetter[]> {
  const unknown = options.all ? [] : findUnknown(letters, ids);
  if (unknown.length > 0)
    throw new OperatorError(
      `Not in the list: ${unknown.join(', ')}. "npx parley redrive" shows it; it may be answered by now, or older than --since.`,
    );
  const chosen = letters.filter((letter) => options.all || isChosen(letter, ids));
  // With --json, one document is printed: the results, if they are waited for.
  if (!options.json || !options.wait || options.dryRun)
    printLetters({ letters: chosen, hasOthers }, options, terminal);
  if (chosen.length === 0) return [];
  const question = `Put ${chosen.length === 1 ? 'it' : `these ${chosen.length}`} back on the queue of ${system.name}?`;
  return (await confirmAction(options, question, terminal)) ? chosen : [];
}
