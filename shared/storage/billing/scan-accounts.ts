import { isPlatformName, type PlatformName, type WorkspaceId, workspaceId } from '../../domain/index.ts';
import type { Dynamo, TableScan } from '../dynamodb/dynamo.ts';
import type { Item } from '../keys/item-keys.ts';
import { policyKey, readUsageCounters, type UsageCounters } from './accounts.ts';

/** The account of a person, a channel or a whole workspace on one day. */
export type DailyAccount = {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
  /** As YYYY-MM-DD, in the time zone of the workspace, or of the deployment if it has set none. */
  readonly day: string;
  readonly scope: 'person' | 'channel' | 'workspace';
  /** The id of the person or channel; `all` for a workspace. */
  readonly id: string;
  readonly counters: UsageCounters;
};

export type ScannedAccounts = {
  readonly accounts: readonly DailyAccount[];
  /** Whether the whole table was read. */
  readonly isComplete: boolean;
};

/** `ACCOUNT#slack#T1` and `D#2026-11-21#person#U1`: see `getAccountName`. */
const PARTITION = /^ACCOUNT#(?<platform>[^#]+)#(?<workspace>.+)$/u;
const NAME = /^D#(?<day>\d{4}-\d\d-\d\d)#(?<scope>person|channel|workspace)#(?<id>.+)$/u;

/**
 * Returns the daily accounts of all workspaces since `firstDay` (YYYY-MM-DD). Scans the table, at most `maxPages` pages of 1 MB,
 * because no index lists workspaces. For a deployment, `scan` has to pause between pages.
 */
export async function scanDailyAccounts(
  scan: TableScan,
  table: string,
  firstDay: string,
  maxPages: number,
): Promise<ScannedAccounts> {
  const accounts: DailyAccount[] = [];
  let start: Item | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { Items = [], LastEvaluatedKey } = await scan({
      TableName: table,
      FilterExpression: 'begins_with(pk, :accounts) AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':accounts': { S: 'ACCOUNT#' },
        ':first': { S: `D#${firstDay}` },
        ':last': { S: 'D#~' },
      },
      ...(start && { ExclusiveStartKey: start }),
    });
    for (const item of Items) accounts.push(...readDailyAccount(item));
    if (!LastEvaluatedKey) return { accounts, isComplete: true };
    start = LastEvaluatedKey;
  }
  return { accounts, isComplete: false };
}

/** Returns the daily accounts of one workspace since `firstDay` (YYYY-MM-DD). Reads only these: also for a large table. */
export async function queryDailyAccounts(
  dynamo: Pick<Dynamo, 'query'>,
  table: string,
  { platform, workspace }: { readonly platform: PlatformName; readonly workspace: string },
  firstDay: string,
): Promise<ScannedAccounts> {
  const accounts: DailyAccount[] = [];
  let start: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamo.query({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': { S: policyKey({ platform, workspace: workspaceId(workspace) }) },
        ':first': { S: `D#${firstDay}` },
        ':last': { S: 'D#~' },
      },
      ...(start && { ExclusiveStartKey: start }),
    });
    for (const item of Items) accounts.push(...readDailyAccount(item));
    start = LastEvaluatedKey;
  } while (start);
  return { accounts, isComplete: true };
}

function readDailyAccount(item: Item): DailyAccount[] {
  const { platform, workspace } = PARTITION.exec(item['pk']?.S ?? '')?.groups ?? {};
  const account = item['sk']?.S ?? '';
  const { day, scope, id } = NAME.exec(account)?.groups ?? {};
  if (!isPlatformName(platform) || workspace === undefined || day === undefined || id === undefined)
    return [];
  if (scope !== 'person' && scope !== 'channel' && scope !== 'workspace') return [];
  const counters = readUsageCounters(account, item);
  return [{ platform, workspace: workspaceId(workspace), day, scope, id, counters }];
}
