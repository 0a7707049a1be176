import type { Schedule } from '../template/resource-types.ts';
import { getNextRun } from './schedule-times.ts';
import type { InvocationOutcome } from '../functions/thread.ts';

/** Invokes functions on schedule, like EventBridge Scheduler. A running invocation does not delay the next. Returns a stop function. */
export function startSchedules(
  schedules: readonly Schedule[],
  invoke: (functionId: string, event: unknown) => Promise<InvocationOutcome>,
  now: () => number,
): () => void {
  const timers = new Map<string, NodeJS.Timeout>();
  const started = now();
  const plan = (schedule: Schedule) => {
    const due = getNextRun(schedule.expression, now(), started);
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
