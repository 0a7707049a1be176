/** Run times of EventBridge Scheduler schedules. Pure: times are ms since 1970, in UTC. */

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Returns the first run after `after`; `started` is the start of the schedule. Supports `rate(N minutes|hours|days)`, the
 * only kind in the template. Throws for anything else.
 */
export function getNextRun(expression: string, after: number, started: number): number {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate === null) {
    throw new Error(
      `The local system does not support the schedule ${expression}, only rate(...). Extend infra/local/emulator/schedule-times.ts.`,
    );
  }
  const period = Number(rate[1]) * (UNITS[rate[2] ?? ''] ?? 0);
  if (period <= 0) throw new Error(`The schedule ${expression} never runs`);
  return started + (Math.floor((after - started) / period) + 1) * period;
}
