import type { Schedule } from '../template/template-resources.ts';
import { nextRun } from './schedule-times.ts';
import type { Outcome } from '../functions/thread.ts';

/** Calls functions at their times, as EventBridge Scheduler does. A run that is still going does not hold up the next. Returns how to stop. */
export function startSchedules(
  schedules: readonly Schedule[],
  invoke: (functionId: string, event: unknown) => Promise<Outcome>,
  now: () => number,
): () => void {
  const timers = new Map<string, NodeJS.Timeout>();
  const started = now();
  const plan = (schedule: Schedule) => {
    const due = nextRun(schedule.expression, now(), started);
    if (due === undefined) return;
    // A long wait is cut into days, since a timer cannot run for more than 24 of them.
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
