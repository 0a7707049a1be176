import type { Schedule } from '../template/resource-types.ts';
import { getNextRun } from './schedule-times.ts';
import type { InvocationOutcome } from '../functions/thread.ts';

/**
 * The first run of a schedule of every minute. On AWS, schedules go on while processes restart. Here they begin with the
 * system: without this run, what was interrupted and needs the sweeper would wait a minute longer after each restart.
 */
const FIRST_RUN_MS = 15_000;
const MINUTE_MS = 60_000;

/** Invokes functions on schedule, like EventBridge Scheduler. A running invocation does not delay the next. Returns a stop function. */
export function startSchedules(
  schedules: readonly Schedule[],
  invoke: (functionId: string, event: unknown) => Promise<InvocationOutcome>,
  now: () => number,
): () => void {
  const timers = new Map<string, NodeJS.Timeout>();
  const started = now();
  const plan = (schedule: Schedule) => {
    const due = findNextRun(schedule, now(), started);
    // A longer wait is split into days, because a timer runs for at most 24 days.
    const wait = Math.min(due - now(), 86_400_000);
    const timer = setTimeout(() => {
      if (now() >= due) void invoke(schedule.functionId, JSON.parse(schedule.input ?? '{}'));
      plan(schedule);
    }, wait);
    timers.set(schedule.id, timer);
  };
  for (const schedule of schedules) plan(schedule);
  return () => {
    for (const timer of timers.values()) clearTimeout(timer);
  };
}

function findNextRun({ expression }: Schedule, after: number, started: number): number {
  const next = getNextRun(expression, after, started);
  const isFirst = after < started + FIRST_RUN_MS && next <= started + MINUTE_MS;
  return isFirst ? started + FIRST_RUN_MS : next;
}
