import type { ScannedAccounts, ScannedLimits } from '../../../shared/storage/index.ts';
import type {
  AlarmRow,
  DashboardData,
  MessageRow,
  QueueLevel,
  QueueSample,
  TimeStep,
  Totals,
  UnreadPart,
} from './dashboard-data.ts';
import { toFeedbackRows, toJobRows } from './jobs.ts';
import { toMessageRows } from './ledger.ts';
import type { LogRecord } from './log-record.ts';
import { toErrorRows } from './problems.ts';
import { toToolRows } from './tool-calls.ts';
import { toTimeSteps, toTimeWindow, toTotals } from './time-series.ts';
import { type NameLookup, toUsage } from './usage.ts';

/** Sums and percentiles that were not computed from log records. */
export type MeasuredTimes = { readonly totals: Totals; readonly steps: readonly TimeStep[] };

/** Everything that the page is made from. */
export type DashboardInput = {
  /** Which system it is. */
  readonly system: string;
  readonly refreshMs: number;
  /** The shortest step of the time axis. */
  readonly minStepMs: number;
  readonly records: readonly LogRecord[];
  readonly accounts: ScannedAccounts;
  /** The first day of the accounts (YYYY-MM-DD). */
  readonly firstDay: string;
  readonly limits: ScannedLimits;
  readonly queues: readonly QueueLevel[];
  readonly queueHistory: readonly QueueSample[];
  readonly nameOf: NameLookup;
  /** Whether the deployment keeps accounts of people and channels. */
  readonly hasAccounts: boolean;
  readonly alarms: readonly AlarmRow[] | undefined;
  /** Undefined: they are computed from the records. */
  readonly measured: MeasuredTimes | undefined;
  /** Further sentences about what is missing. */
  readonly notes: readonly string[];
  readonly unread: readonly UnreadPart[];
};

const MAX_MESSAGES = 100;

/** Computes what the page shows of the last `rangeMs` before `now` (ms since 1970). */
export function summarize(input: DashboardInput, now: number, rangeMs: number): DashboardData {
  const { records, queueHistory, measured } = input;
  const window = toTimeWindow(now, rangeMs, input.minStepMs);
  const { fromMs, stepMs } = window;
  const messages = toMessageRows(records, input.nameOf, fromMs, MAX_MESSAGES);
  return {
    system: input.system,
    refreshMs: input.refreshMs,
    at: now,
    fromMs,
    stepMs,
    totals: measured?.totals ?? toTotals(records, fromMs, countWaiting(messages)),
    steps: measured?.steps ?? toTimeSteps(records, window),
    usage: toUsage(input.accounts.accounts, input.firstDay, input.nameOf),
    limits: input.limits.limits.map(({ pausedUntilMs, ...limit }) => ({
      ...limit,
      pausedUntil: pausedUntilMs,
    })),
    pausedModels: input.limits.breakers.map(({ model, untilMs }) => ({ model, until: untilMs })),
    queues: input.queues,
    queueHistory: toQueueSteps(queueHistory, fromMs, stepMs),
    jobs: toJobRows(records, fromMs),
    tools: toToolRows(records, fromMs),
    errors: toErrorRows(records, fromMs),
    alarms: input.alarms,
    feedback: toFeedbackRows(records, fromMs),
    messages,
    notes: listNotes(input),
    unread: input.unread,
  };
}

const countWaiting = (messages: readonly MessageRow[]): number =>
  messages.filter(({ state }) => state === 'waiting').length;

/** Returns the fullest sample of each step: a queue that fills and empties between two steps is visible. */
export function toQueueSteps(samples: readonly QueueSample[], fromMs: number, stepMs: number): QueueSample[] {
  const steps = new Map<number, QueueSample>();
  for (const { at, waiting } of samples) {
    if (at < fromMs) continue;
    const start = fromMs + Math.floor((at - fromMs) / stepMs) * stepMs;
    const known = steps.get(start)?.waiting ?? {};
    const fullest = { ...known };
    for (const [name, count] of Object.entries(waiting)) fullest[name] = Math.max(count, known[name] ?? 0);
    steps.set(start, { at: start, waiting: fullest });
  }
  return [...steps.values()].toSorted((a, b) => a.at - b.at);
}

function listNotes({ hasAccounts, accounts, notes }: DashboardInput): string[] {
  return [
    ...notes,
    ...(hasAccounts
      ? []
      : ['Usage by person, channel and model is not recorded. Set ACCOUNTS=on to record it.']),
    ...(accounts.isComplete ? [] : ['The table is large: usage by person, channel and model is incomplete.']),
  ];
}
