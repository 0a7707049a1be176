import { dateInZone } from '../../../shared/billing/budgets/index.ts';
import {
  type DashboardInput,
  type DashboardSource,
  findMessageLedger,
  type MeasuredTimes,
  type UnreadPart,
  summarize,
  toTimeSteps,
  toTimeWindow,
} from '../../dashboard/index.ts';
import {
  createDeployment,
  type DeploymentOptions,
  type DeploymentParts,
  type DeploymentState,
  MINUTE_MS,
} from './deployment-parts.ts';
import { listDeploymentNotes } from './deployment-notes.ts';
import { countWaitingTasks } from './queue-levels.ts';

const REFRESH_MS = 30_000;
/** While something is still being read. */
const READING_REFRESH_MS = 2_000;
/** The page shows what is there after this time; the rest follows. */
const FIRST_WAIT_MS = 2_500;

/**
 * Returns what the page shows of a deployment. Only reads. What cannot be read is a sentence on the page, and the rest is shown. Each
 * request has a deadline and a size limit (`createOperatorCall`), and all windows use its result until it is too old.
 */
export function createDeploymentSource(options: DeploymentOptions): DashboardSource {
  const { logWindow, readParts: partsOf } = createDeployment(options);
  return {
    async read(rangeMs) {
      const parts = partsOf(rangeMs);
      const all = Promise.all(Object.values(parts).map((part) => part.refresh()));
      await Promise.race([all, options.wait(FIRST_WAIT_MS)]);
      const now = options.now();
      return summarize(toInput({ ...options, parts, logWindow, rangeMs }, now), now, rangeMs);
    },
    async findMessage(trace) {
      return findMessageLedger(logWindow.list(), () => undefined, trace);
    },
  };
}

function toInput(state: DeploymentState, now: number): DashboardInput {
  const { system, parts, logWindow, rangeMs, zone, hasAccounts } = state;
  const isReading = Object.values(parts).some((part) => part.isReading());
  const firstDay = dateInZone(now - rangeMs, zone);
  const { accounts, isComplete } = parts.accounts.latest() ?? { accounts: [], isComplete: true };
  return {
    system: system.name,
    refreshMs: isReading ? READING_REFRESH_MS : REFRESH_MS,
    minStepMs: MINUTE_MS,
    records: logWindow.list(),
    accounts: { accounts: accounts.filter(({ day }) => day >= firstDay), isComplete },
    firstDay,
    limits: parts.limits.latest() ?? { limits: [], breakers: [] },
    queues: (parts.queues.latest() ?? []).map((queue) => ({
      ...queue,
      oldestMs: parts.metrics.latest()?.oldestMs.get(queue.name),
    })),
    queueHistory: parts.metrics.latest()?.queueHistory ?? [],
    // People and channels have names at the platforms only.
    nameOf: () => undefined,
    hasAccounts,
    alarms: parts.alarms.latest(),
    measured: addLogged(state, now),
    notes: listDeploymentNotes(state, now),
    unread: listUnread(parts),
  };
}

function listUnread({ logs, accounts, limits, queues }: DeploymentParts): UnreadPart[] {
  return [
    ...(logs.latest() === undefined ? (['records'] as const) : []),
    ...(accounts.latest() === undefined ? (['usage'] as const) : []),
    ...(limits.latest() === undefined ? (['limits'] as const) : []),
    ...(queues.latest() === undefined ? (['queues'] as const) : []),
  ];
}

/** Failed answers are no metric but in the log, and waiting questions are in the queues. */
function addLogged({ parts, logWindow, rangeMs }: DeploymentState, now: number): MeasuredTimes | undefined {
  const measured = parts.metrics.latest();
  if (measured === undefined) return undefined;
  const logged = toTimeSteps(logWindow.list(), toTimeWindow(now, rangeMs, MINUTE_MS));
  const failedAt = new Map(logged.map(({ at, failed }) => [at, failed]));
  const steps = measured.steps.map((step) => ({ ...step, failed: failedAt.get(step.at) ?? 0 }));
  const failed = steps.reduce((sum, step) => sum + step.failed, 0);
  const waiting = countWaitingTasks(parts.queues.latest() ?? []);
  return { steps, totals: { ...measured.totals, failed, waiting } };
}
