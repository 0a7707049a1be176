import {
  fetchScan,
  scanDailyAccounts,
  scanLimits,
  type ScannedAccounts,
  type ScannedLimits,
} from '../../../shared/storage/table-scans.ts';
import type { TableScan } from '../../../shared/storage/index.ts';
import { callTable } from '../emulator/dynamodb/table-call.ts';

/** Several windows, and each refresh within this time, share one scan. */
const MAX_AGE_MS = 5_000;
/** Pages of 1 MB. */
const MAX_ACCOUNT_PAGES = 20;
const MAX_LIMIT_PAGES = 5;

export type TableReader = {
  readonly readAccounts: (firstDay: string) => Promise<ScannedAccounts>;
  readonly readLimits: () => Promise<ScannedLimits>;
};

/** Reads the local tables. What cannot be read now is shown as it was. */
export function createTableReader(
  endpoint: string,
  tables: { readonly conversations: string; readonly tokens: string },
  now: () => number,
): TableReader {
  const scan = createScan(endpoint);
  const accounts = cached(now, { accounts: [], isComplete: true }, (firstDay) =>
    scanDailyAccounts(scan, tables.conversations, firstDay, MAX_ACCOUNT_PAGES),
  );
  const limits = cached(now, { limits: [], breakers: [] }, () =>
    scanLimits(scan, tables.tokens, now(), MAX_LIMIT_PAGES),
  );
  return { readAccounts: accounts, readLimits: () => limits('') };
}

function createScan(endpoint: string): TableScan {
  return fetchScan(async ({ target, input }) => {
    const operation = target.split('.')[1] ?? '';
    const { status, body } = await callTable(endpoint, operation, JSON.parse(input));
    if (status !== 200) throw new Error(`The local table answered ${operation} with ${status}`);
    return body;
  });
}

/** Returns the last result for the same argument while it is fresh, and if reading fails. */
function cached<T>(now: () => number, first: T, read: (argument: string) => Promise<T>) {
  let last: { readonly argument: string; readonly at: number; readonly result: Promise<T> } | undefined;
  return (argument: string): Promise<T> => {
    if (last?.argument === argument && now() - last.at < MAX_AGE_MS) return last.result;
    const earlier = last?.argument === argument ? last.result : Promise.resolve(first);
    const result = read(argument).catch(() => earlier);
    last = { argument, at: now(), result };
    return result;
  };
}
