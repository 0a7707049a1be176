import { type Command } from 'commander';
import { enqueueTask } from '../../../shared/task-queue/index.ts';
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
import {
  countMessages,
  deleteFromQueue,
  openQueue,
  type QueuedMessage,
  receiveAll,
  showAgain,
} from '../operator/queues.ts';
import { createSystemLogs, type ReadLogs, tellGaps } from '../operator/read-logs.ts';
import {
  addOperatorOptions,
  type OperatorOptions,
  runOperatorCommand,
} from '../operator/run-operator-command.ts';
import { findSlackTeam, openTurns } from '../operator/turns.ts';
import { messageId, parseTask, type Task, getTaskTurnRef } from '../../../shared/domain/index.ts';
import { formatCount, formatDuration } from '../output/format.ts';
import { parseTimeOption } from '../output/parse-time-option.ts';
import { withProgress } from '../output/progress.ts';
import { formatTable } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';
import { type DeadLetter, findUnknown, isChosen, toDeadLetter, parseTrace } from './dead-letter.ts';
import { type FailedQuestion, findFailedQuestions, MAX_QUESTIONS } from './failed-questions.ts';
import { followRedriven, type RedrivenTask } from './follow-redrive.ts';

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

Exit codes: 0 done (with --no-wait: put back), 1 something failed again or is not done in time, 2 wrong arguments.`;

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

/** Dead letters stay hidden for so long while the person decides; then `dead-letters` handles them as before. */
const HIDDEN_SECONDS = 120;
const MAX_LETTERS = 1_000;

const HINT =
  '"npx parley redrive ID" puts one back, --all puts all back. "npx parley trace ID" shows a question.';

type GivenUpWork = {
  readonly letters: readonly DeadLetter[];
  readonly messages: readonly QueuedMessage[];
  readonly questions: readonly FailedQuestion[];
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
  const deadUrl = getOutput(system, 'TasksDeadUrl');
  const messages = await receiveAll(system.call, deadUrl, HIDDEN_SECONDS, MAX_LETTERS);
  let redriven: readonly RedrivenTask[] | undefined;
  const sinceMs = clock.now();
  try {
    const work = await withProgress(terminal, 'Searching the logs ...', () =>
      findAll(system, messages, options.since, terminal),
    );
    if (ids.length === 0 && !options.all) {
      printLetters(work.letters, options, terminal);
      if (!options.json && work.letters.length > 0) terminal.print(`\n${HINT}`);
      return EXIT_CODE.success;
    }
    redriven = await putChosenBack(system, work, ids, options, terminal);
  } finally {
    // Those that were put back are deleted, which is no error here.
    await showAgain(system.call, deadUrl, messages).catch(() => undefined);
  }
  if (redriven.length === 0 || !options.wait) return EXIT_CODE.success;
  return followRedriven(system, { tasks: redriven, sinceMs }, options, terminal, clock);
}

async function findAll(
  system: SystemAccess,
  messages: readonly QueuedMessage[],
  sinceMs: number,
  terminal: Terminal,
): Promise<GivenUpWork> {
  const now = Date.now();
  const range = { fromMs: now - sinceMs, untilMs: now };
  const readLogs = tellGaps(createSystemLogs(system, Date.now), terminal);
  const turns = openTurns(system);
  const records = await readTraces(readLogs, messages, now);
  const { questions, unnamed, isCut } = await findFailedQuestions(range, {
    readLogs,
    findTurn: (thread, message) => turns.findByMessage(thread, messageId(message)),
    slackTeam: () => findSlackTeam(system),
  });
  if (unnamed > 0)
    terminal.report(
      `${formatCount(unnamed, 'failed answer')} left out: the logs do not name the question, or it is erased.`,
    );
  if (isCut)
    terminal.report(
      `Only the first ${MAX_QUESTIONS} failed questions are in the list. Put them back, then run this again for the next ones; or choose a shorter --since.`,
    );
  const { hidden } = await countMessages(system.call, getOutput(system, 'TasksDeadUrl'));
  const elsewhere = Math.max(0, hidden - messages.length);
  if (elsewhere > 0)
    terminal.report(
      `${formatCount(elsewhere, 'dead letter')} left out: "dead-letters" is handling them. Look again in 3 minutes.`,
    );
  const letters = [
    ...messages.map((message) => toDeadLetter(message, records)),
    ...questions.map(({ letter }) => letter),
  ];
  return { letters, messages, questions };
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
  letters: readonly DeadLetter[],
  options: RedriveOptions,
  { print, width }: Terminal,
): void {
  if (options.json) return print(JSON.stringify({ letters }, undefined, 2));
  if (letters.length === 0)
    return print('There are no dead letters, and no failed questions in this time (--since).');
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

async function putChosenBack(
  system: SystemAccess,
  { letters, messages, questions }: GivenUpWork,
  ids: readonly string[],
  options: RedriveOptions,
  terminal: Terminal,
): Promise<readonly RedrivenTask[]> {
  const unknown = options.all ? [] : findUnknown(letters, ids);
  if (unknown.length > 0)
    throw new OperatorError(
      `Not in the list: ${unknown.join(', ')}. "npx parley redrive" shows it; it may be answered by now, or older than --since.`,
    );
  const chosen = letters.filter((letter) => options.all || isChosen(letter, ids));
  // With --json, one document is printed: the results, if they are waited for.
  if (!options.json || !options.wait || options.dryRun) printLetters(chosen, options, terminal);
  if (chosen.length === 0) return [];
  const question = `Put ${chosen.length === 1 ? 'it' : `these ${chosen.length}`} back on the queue of ${system.name}?`;
  if (!(await confirmAction(options, question, terminal))) return [];
  const isWanted = (id: string) => chosen.some((letter) => letter.id === id);
  const url = getOutput(system, 'TasksUrl');
  for (const { task, letter } of questions.filter(({ letter: { id } }) => isWanted(id)))
    // In the trace of the question, so that "trace" shows both attempts.
    await enqueueTask(task, task.key, openQueue(system.call, url, toHeader(letter.trace)));
  for (const message of messages.filter(({ id }) => isWanted(id))) await putBack(system, message);
  terminal.report(`${formatCount(chosen.length, 'task')} put back.`);
  const bodies = new Map(messages.map(({ id, body }) => [id, body]));
  const outcomes = new Map(questions.map(({ letter, outcome }) => [letter.id, outcome]));
  return chosen.map((letter) => {
    const task =
      questions.find(({ letter: { id } }) => id === letter.id)?.task ??
      parseTask(bodies.get(letter.id) ?? '');
    const turn = task && TURN_TASKS.has(task.kind) ? getTaskTurnRef(task) : undefined;
    return {
      letter,
      question: turn && { thread: turn.thread, message: turn.message },
      // A failed question is asked again.
      endsTurn: letter.source !== 'dead letter' || task?.kind === 'ask' || task?.kind === 'apologise',
      before: outcomes.get(letter.id),
    };
  });
}

/** Tasks about the turn of a question: without it they have nothing to do. */
const TURN_TASKS: ReadonlySet<Task['kind']> = new Set(['ask', 'apologise', 'redo', 'reconcile']);

const toHeader = (trace: string | undefined): string | undefined =>
  trace === undefined ? undefined : `Root=${trace};Sampled=0`;

/** First sends, then deletes: an interruption between the two repeats it, and the queue drops the copy. */
async function putBack({ call, ...system }: SystemAccess, message: QueuedMessage): Promise<void> {
  const isRecording = toDeadLetter(message, []).kind === 'hear';
  const url = getOutput(system, isRecording ? 'RecordingsUrl' : 'TasksUrl');
  await openQueue(call, url, message.trace).send(message.body, message.group, `redrive-${message.id}`);
  await deleteFromQueue(call, getOutput(system, 'TasksDeadUrl'), message.receipt);
}
