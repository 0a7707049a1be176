import { join } from 'node:path';
import { type LogRecord, readLogFiles, textFact } from '../../dashboard/index.ts';
import { listLogGroups, type LogPage, type LogQuery, searchLogGroups } from './cloudwatch-logs.ts';
import type { SystemAccess } from './open-system.ts';
import type { OperatorCall } from './operator-call.ts';
import type { Terminal } from '../terminal.ts';

/** Searches the logs of a system. Rejects with OperatorError. */
export type ReadLogs = (query: LogQuery) => Promise<LogPage>;

/** Reads the log files of the local system; it does not have to run. Long files are read from their end. */
export function createLocalLogs(data: string): ReadLogs {
  return async (query) => {
    const records = await readLogFiles(join(data, 'logs'));
    return { records: records.filter((record) => matchesQuery(record, query)), isComplete: true };
  };
}

/** How long the list of log groups is used. A deployment may add one while a command runs. */
const GROUPS_MAX_AGE_MS = 5 * 60_000;

/** Searches CloudWatch Logs. */
export function createDeploymentLogs(call: OperatorCall, stack: string, now: () => number): ReadLogs {
  let known: { readonly groups: readonly string[]; readonly at: number } | undefined;
  return async (query) => {
    // Only a list that was read is kept: after an error the next search asks again.
    if (known === undefined || now() - known.at >= GROUPS_MAX_AGE_MS)
      known = { groups: await listLogGroups(call, stack), at: now() };
    const { groups } = known;
    const pages: LogPage[] = [];
    for (const part of splitQuery(query)) pages.push(await searchLogGroups(call, groups, part, now));
    return {
      records: pages.flatMap(({ records }) => records).toSorted((a, b) => a.at - b.at),
      isComplete: pages.every(({ isComplete }) => isComplete),
    };
  };
}

/** A filter pattern has at most 1,024 characters. */
const MAX_VALUES = 15;

function splitQuery(query: LogQuery): LogQuery[] {
  const { anyOf } = query;
  if (anyOf === undefined || anyOf.length <= MAX_VALUES) return [query];
  return Array.from({ length: Math.ceil(anyOf.length / MAX_VALUES) }, (_, index) => ({
    ...query,
    anyOf: anyOf.slice(index * MAX_VALUES, (index + 1) * MAX_VALUES),
  }));
}

/** Reads the logs of a system. */
export const createSystemLogs = (system: SystemAccess, now: () => number): ReadLogs =>
  system.kind === 'deployment'
    ? createDeploymentLogs(system.call, system.stack, now)
    : createLocalLogs(system.data);

/** Says once that a search did not read all lines. */
export function tellGaps(readLogs: ReadLogs, { report }: Pick<Terminal, 'report'>): ReadLogs {
  let isTold = false;
  return async (query) => {
    const page = await readLogs(query);
    if (!page.isComplete && !isTold) report(GAP);
    isTold ||= !page.isComplete;
    return page;
  };
}

const GAP =
  'Not all lines were read: there are too many for one search (a minute, 50,000 lines). Choose a shorter --since.';

/**
 * Returns the record to find a stored question by, of those that name its thread: one with its workspace, if there is one. An app that many workspaces
 * installed has no other way to know which one it was, and the first record may lack it. In a channel of two companies with the app, the front may log
 * first that it ignored the message for the one, and then that it queued it for the other.
 */
export function findPlace(naming: readonly LogRecord[]): LogRecord | undefined {
  const placed = naming.filter((record) => textFact(record, 'workspace') !== undefined);
  return placed.find(isQueued) ?? placed[0] ?? naming[0];
}

/** Workers log no outcome: what they name was queued. */
const isQueued = (record: LogRecord): boolean => (textFact(record, 'outcome') ?? 'queued') === 'queued';

const matchesQuery = (record: LogRecord, { fromMs, untilMs, anyOf }: LogQuery): boolean =>
  record.at >= fromMs &&
  record.at <= untilMs &&
  (anyOf === undefined || anyOf.some(([fact, value]) => getFact(record, fact) === value));

function getFact(record: LogRecord, fact: string): unknown {
  if (fact === 'trace' || fact === 'event' || fact === 'level') return record[fact];
  return record.facts[fact];
}
