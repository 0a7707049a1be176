import type { MessageId, Thread, TurnOutcome } from '../../../shared/domain/index.ts';
import type { FoundTurn } from '../../../shared/storage/index.ts';
import { type LogRecord, textFact } from '../../dashboard/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { type CommandClock, type FollowOptions, followWork } from '../operator/follow-work.ts';
import type { SystemAccess } from '../operator/open-system.ts';
import { createSystemLogs, type ReadLogs } from '../operator/read-logs.ts';
import { openTurns } from '../operator/turns.ts';
import { formatTable } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';
import type { DeadLetter } from './dead-letter.ts';

/**
 * A task that was put back. `question`: the message whose turn it is about; `endsTurn`: not if it changes or repairs an ended one, whose outcome does not
 * say whether it has run; `before`: the outcome that the turn had.
 */
export type RedrivenTask = {
  readonly letter: DeadLetter;
  readonly question: { readonly thread: Thread; readonly message: MessageId } | undefined;
  readonly endsTurn: boolean;
  readonly before: TurnOutcome | undefined;
};

/** What became of a task: `waiting` until it is known. */
export type RedriveResult = {
  readonly id: string;
  readonly state: 'done' | 'failed' | 'waiting';
  readonly detail: string;
};

export type FollowSources = {
  readonly readLogs: ReadLogs;
  readonly findTurn: (thread: Thread, message: MessageId) => Promise<FoundTurn | undefined>;
  /** ms since 1970. */
  readonly now: () => number;
};

/** Events at the end of tasks that answer no question and change no answer. */
const ENDING_EVENTS: ReadonlySet<string> = new Set([
  'answer.ended',
  'task.requests-sent',
  'erasure.completed',
  'schedule.ended',
]);
/** Events at the end of a change or check of an answer. It may send requests each time that it goes back to the queue, and none when it ends. */
const CHANGE_ENDING_EVENTS: ReadonlySet<string> = new Set([
  'answer.ended',
  'answer.change-ended',
  'answer.check-ended',
]);
/** Clocks differ. */
const BEFORE_MS = 2_000;

/**
 * Returns what became of tasks that were put back at `sinceMs` (ms since 1970): of a question by its stored turn, of others by the log lines of
 * their traces. Rejects with OperatorError.
 */
export async function readRedriveResults(
  tasks: readonly RedrivenTask[],
  sinceMs: number,
  sources: FollowSources,
): Promise<RedriveResult[]> {
  const traces = [...new Set(tasks.flatMap(({ letter }) => letter.trace ?? []))];
  const { records } =
    traces.length === 0
      ? { records: [] }
      : await sources.readLogs({
          fromMs: sinceMs - BEFORE_MS,
          untilMs: sources.now(),
          anyOf: traces.map((trace) => ['trace', trace] as const),
        });
  return Promise.all(tasks.map((task) => readResult(task, records, sources)));
}

async function readResult(
  { letter, question, endsTurn, before }: RedrivenTask,
  records: readonly LogRecord[],
  { findTurn }: FollowSources,
): Promise<RedriveResult> {
  const { id } = letter;
  const own = records.filter(({ trace }) => trace !== undefined && trace === letter.trace);
  const turn = question && (await findTurn(question.thread, question.message));
  if (question && !turn) return { id, state: 'done', detail: 'its question is deleted or erased' };
  const outcome = turn?.content?.outcome;
  const isNew = outcome && JSON.stringify(outcome) !== JSON.stringify(before);
  // A task of a question that had ended already changes nothing.
  if (endsTurn && outcome && (isNew || letter.source === 'dead letter'))
    return { id, ...describeOutcome(outcome) };
  if (own.some(({ event }) => event === 'task.given-up'))
    return { id, state: 'failed', detail: 'given up again' };
  const failedAt = own.findLastIndex(({ event }) => event === 'task.failed');
  const failed = own[failedAt];
  const endingEvents = question ? CHANGE_ENDING_EVENTS : ENDING_EVENTS;
  // The requests of an attempt are logged before its failure.
  if (!endsTurn && own.slice(failedAt + 1).some(({ event }) => endingEvents.has(event)))
    return { id, state: 'done', detail: 'handled' };
  const error = failed && textFact(failed, 'error');
  return {
    id,
    state: 'waiting',
    detail: failed ? `an attempt failed (${error ?? 'unknown'}), it is tried again` : 'not yet',
  };
}

function describeOutcome(outcome: TurnOutcome): Pick<RedriveResult, 'state' | 'detail'> {
  if (outcome.kind !== 'failed') return { state: 'done', detail: 'answered' };
  const reason = [outcome.reason, outcome.failure?.status, outcome.failure?.code].filter(Boolean).join(', ');
  return { state: 'failed', detail: `failed again: ${reason}` };
}

export type FollowRedriveOptions = FollowOptions & { readonly json: boolean };

/** Waits until each task is done or has failed again, and prints what became of it. Resolves with the exit code. */
export async function followRedriven(
  system: SystemAccess,
  { tasks, sinceMs }: { readonly tasks: readonly RedrivenTask[]; readonly sinceMs: number },
  options: FollowRedriveOptions,
  terminal: Terminal,
  clock: CommandClock,
): Promise<number> {
  const turns = openTurns(system);
  const sources: FollowSources = {
    readLogs: createSystemLogs(system, clock.now),
    findTurn: (thread, message) => turns.findByMessage(thread, message),
    now: clock.now,
  };
  let results: readonly RedriveResult[] = [];
  const countEnded = (): number => results.filter(({ state }) => state !== 'waiting').length;
  const isDone = await followWork(
    async () => {
      results = await readRedriveResults(tasks, sinceMs, sources);
      return countEnded() === tasks.length;
    },
    () => `${countEnded()} of ${tasks.length} ended`,
    { ...options, kind: system.kind },
    terminal,
    clock,
  );
  printResults(results, options, terminal);
  if (!isDone)
    terminal.report(
      'Not all ended in this time; the work goes on. "npx parley redrive" lists what failed, "npx parley trace ID" shows a question; --timeout waits longer.',
    );
  return results.every(({ state }) => state === 'done') ? EXIT_CODE.success : EXIT_CODE.failure;
}

function printResults(
  results: readonly RedriveResult[],
  { json }: Pick<FollowRedriveOptions, 'json'>,
  { print, width }: Terminal,
): void {
  if (json) return print(JSON.stringify({ results }, undefined, 2));
  const lines = formatTable(
    results,
    [
      { title: 'Id', cell: ({ id }) => id, isWhole: true },
      { title: 'State', cell: ({ state }) => state },
      { title: 'Outcome', cell: ({ detail }) => detail },
    ],
    width,
  );
  for (const line of ['', ...lines]) print(line);
}
