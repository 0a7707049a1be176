import { type LogRecord, numberFact, textFact } from '../../dashboard/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { COMMAND_CLOCK, type CommandClock, followWork } from '../operator/follow-work.ts';
import type { ReadLogs } from '../operator/read-logs.ts';
import { formatCount } from '../output/format.ts';
import type { Terminal } from '../terminal.ts';

/** Clocks differ. */
const BEFORE_MS = 2_000;

/**
 * Waits until the log has the end of the erasure with this trace, which was queued at `sinceMs` (ms since 1970), and says what was erased. A task that is
 * given up does not end it: `dead-letters` queues the erasure again, with the same trace. Resolves with the exit code; rejects with OperatorError.
 */
export async function followErasure(
  { trace, sinceMs }: { readonly trace: string; readonly sinceMs: number },
  readLogs: ReadLogs,
  options: Parameters<typeof followWork>[2],
  terminal: Pick<Terminal, 'report'>,
  clock: CommandClock = COMMAND_CLOCK,
): Promise<number> {
  let records: readonly LogRecord[] = [];
  const sumErased = (): number =>
    records
      .filter(({ event }) => event === 'erasure.continued' || event === 'erasure.completed')
      .reduce((sum, record) => sum + (numberFact(record, 'erased') ?? 0), 0);
  const has = (event: string): boolean => records.some((record) => record.event === event);
  await followWork(
    async () => {
      const range = { fromMs: sinceMs - BEFORE_MS, untilMs: clock.now() };
      ({ records } = await readLogs({ ...range, anyOf: [['trace', trace]] }));
      return has('erasure.completed');
    },
    () => describeProgress(records, sumErased()),
    options,
    terminal,
    clock,
  );
  const isDone = has('erasure.completed');
  const failures = describeFailures(records);
  if (isDone) {
    const hasSecondPass = !records.some((record) => textFact(record, 'scope') === 'thread');
    terminal.report(
      `Erased: ${formatCount(sumErased(), 'item')}.${hasSecondPass ? ' A second pass in 4 minutes removes what was on its way.' : ''}${failures && ` Before that ${failures}.`}`,
    );
    return EXIT_CODE.success;
  }
  terminal.report(
    failures
      ? `Not completed in this time: ${failures}. It is queued again until it succeeds: docs/runbook.md#task-died. "npx parley tail --since 1h --event 'erasure.*'" shows its end.`
      : `Not completed in this time; it goes on. "npx parley tail --since 1h --event 'erasure.*'" shows its end; --dry-run counts what is left.`,
  );
  return EXIT_CODE.failure;
}

/** Says how often the erasure was given up, and why; empty if it never was. */
function describeFailures(records: readonly LogRecord[]): string {
  const count = records.filter(({ event }) => event === 'task.given-up').length;
  const times = count === 1 ? 'once' : `${count} times`;
  return count === 0 ? '' : `it was given up ${times} (${findError(records) ?? 'no error in the log'})`;
}

const findError = (records: readonly LogRecord[]): string | undefined => {
  const failed = records.findLast(({ event }) => event === 'task.failed');
  return failed && (textFact(failed, 'error') ?? 'unknown');
};

function describeProgress(records: readonly LogRecord[], erased: number): string {
  const failures = describeFailures(records);
  if (failures) return `Queued again: ${failures}`;
  const error = findError(records);
  if (error !== undefined) return `An attempt failed (${error}), it is tried again`;
  return erased > 0 ? `Erasing: ${formatCount(erased, 'item')} so far` : 'Erasing ...';
}
