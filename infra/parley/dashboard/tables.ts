import {
  fetchDynamo,
  fetchScan,
  queryDailyAccounts,
  scanDailyAccounts,
  type ScannedAccounts,
  type ScannedLimits,
  scanLimits,
} from '../../../shared/storage/index.ts';
import { type OperatorCall, toServiceCall } from '../operator/operator-call.ts';
import type { Workspace } from '../operator/parse-workspace.ts';
import { paceScan } from '../operator/tables.ts';

/** Pages of 1 MB: at most 10 MB of the conversations table, which are 1,280 read units. */
const MAX_ACCOUNT_PAGES = 10;
/** The table of rate limits has some hundred small items. */
const MAX_LIMIT_PAGES = 1;

/**
 * Reads daily accounts since `firstDay` (YYYY-MM-DD): those of these workspaces, or, if none is named, the first 10 MB of the table,
 * slowly, because the bot shares its capacity. Rejects with AwsCallError.
 */
export async function readAccounts(
  call: OperatorCall,
  table: string,
  { workspaces, firstDay }: { readonly workspaces: readonly Workspace[]; readonly firstDay: string },
  wait: (ms: number) => Promise<void>,
): Promise<ScannedAccounts> {
  const service = toServiceCall(call);
  if (workspaces.length === 0)
    return scanDailyAccounts(paceScan(fetchScan(service), wait), table, firstDay, MAX_ACCOUNT_PAGES);
  const dynamo = fetchDynamo(service);
  const pages = await Promise.all(
    workspaces.map((workspace) => queryDailyAccounts(dynamo, table, workspace, firstDay)),
  );
  return { accounts: pages.flatMap(({ accounts }) => accounts), isComplete: true };
}

/** Reads the state of the rate limits. Rejects with AwsCallError. */
export const readLimits = (call: OperatorCall, table: string, nowMs: number): Promise<ScannedLimits> =>
  scanLimits(fetchScan(toServiceCall(call)), table, nowMs, MAX_LIMIT_PAGES);
