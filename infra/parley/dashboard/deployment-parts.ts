import type { ScannedAccounts, ScannedLimits } from '../../../shared/storage/index.ts';
import { dateInZone } from '../../../shared/billing/budgets/index.ts';
import { type AlarmRow, type QueueLevel, toTimeWindow } from '../../dashboard/index.ts';
import type { OperatorCall } from '../operator/operator-call.ts';
import type { DeploymentAccess } from '../operator/open-system.ts';
import type { Workspace } from '../operator/parse-workspace.ts';
import { OperatorError } from '../operator-error.ts';
import { createDeploymentLogs } from '../operator/read-logs.ts';
import { readAlarms } from './alarms.ts';
import { createLogWindow, type LogWindow } from './log-window.ts';
import { type Measured, measure } from './measure.ts';
import { createPart, type Part } from './part.ts';
import { listQueues, readQueueLevels } from './queue-levels.ts';
import { readAccounts, readLimits } from './tables.ts';

export type DeploymentOptions = {
  readonly system: Pick<DeploymentAccess, 'name' | 'outputs' | 'stack'>;
  readonly call: OperatorCall;
  /** Whose accounts are read; the first 10 MB of the table if empty. */
  readonly workspaces: readonly Workspace[];
  /** The time zone of the accounts. */
  readonly zone: string;
  /** Whether the deployment keeps accounts. */
  readonly hasAccounts: boolean;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Receives an error that is no OperatorError. */
  readonly reportError: (error: unknown) => void;
};

const OLD_VERSION = 'The deployment is of an older version, which does not name this table. Deploy it again.';
export const MINUTE_MS = 60_000;
/** How long what was read is shown before it is read again. */
const MAX_AGE_MS = {
  logs: 30_000,
  metrics: MINUTE_MS,
  queues: 15_000,
  alarms: MINUTE_MS,
  limits: MINUTE_MS,
  accounts: 15 * MINUTE_MS,
} as const;
/** The longest time that the page offers. */
const MAX_RANGE_MS = 7 * 24 * 60 * MINUTE_MS;

/** The parts of the page, each from one service of AWS. */
export type DeploymentParts = {
  /** Its lines are in the window. */
  readonly logs: Part<true>;
  readonly metrics: Part<Measured>;
  readonly queues: Part<readonly QueueLevel[]>;
  readonly alarms: Part<readonly AlarmRow[]>;
  readonly limits: Part<ScannedLimits>;
  readonly accounts: Part<ScannedAccounts>;
};

export type Deployment = {
  readonly logWindow: LogWindow;
  /** Returns the parts for a time. All but the metrics are shared: another time has other steps. */
  readonly readParts: (rangeMs: number) => DeploymentParts;
};

/** What was read for a time. */
export type DeploymentState = Pick<DeploymentOptions, 'system' | 'workspaces' | 'zone' | 'hasAccounts'> & {
  readonly parts: DeploymentParts;
  readonly logWindow: LogWindow;
  readonly rangeMs: number;
};

/** Creates the parts of a deployment. Nothing is read before they are refreshed. */
export function createDeployment(options: DeploymentOptions): Deployment {
  const { call, system, now, reportError } = options;
  const queues = listQueues(system.outputs);
  const tokens = system.outputs['TokensTable'];
  const logWindow = createLogWindow(createDeploymentLogs(call, system.stack, now), now);
  let widestMs = 0;
  const part = <T>(name: keyof typeof MAX_AGE_MS, read: () => Promise<T>): Part<T> =>
    createPart(read, { maxAgeMs: MAX_AGE_MS[name], now, reportError });
  const shared = {
    logs: part('logs', async (): Promise<true> => {
      await logWindow.read(() => now() - widestMs);
      return true;
    }),
    queues: part('queues', () => readQueueLevels(call, queues)),
    alarms: part('alarms', () => readAlarms(call, system.stack)),
    limits: part('limits', async () => {
      if (tokens === undefined) throw new OperatorError(OLD_VERSION);
      return readLimits(call, tokens, now());
    }),
    accounts: part('accounts', () => readAllAccounts(options)),
  };
  const metrics = new Map<number, Part<Measured>>();
  return {
    logWindow,
    readParts(rangeMs) {
      widestMs = Math.max(widestMs, rangeMs);
      const known =
        metrics.get(rangeMs) ??
        part('metrics', () => measure(call, system.stack, queues, toTimeWindow(now(), rangeMs, MINUTE_MS)));
      metrics.set(rangeMs, known);
      return { ...shared, metrics: known };
    },
  };
}

/** Reads the days of the longest time at once: they cost as much as one day. */
async function readAllAccounts({
  call,
  system: { outputs },
  hasAccounts,
  workspaces,
  zone,
  now,
  wait,
}: DeploymentOptions): Promise<ScannedAccounts> {
  const table = outputs['ConversationsTable'];
  if (table === undefined || !hasAccounts) return { accounts: [], isComplete: true };
  const firstDay = dateInZone(now() - MAX_RANGE_MS, zone);
  return readAccounts(call, table, { workspaces, firstDay }, wait);
}
