import * as v from 'valibot';
import type { PlatformName, UserId, WorkspaceId } from '../../domain/index.ts';
import { getAskedTimeMs, FIRST_TURN_KEY, type Item } from '../keys/item-keys.ts';
import type { TableScan } from '../dynamodb/dynamo.ts';
import { getNewestFactTime } from '../facts/facts.ts';
import { type Key, keySchema } from '../keys/key-schema.ts';

/** What is erased or exported. */
export type ErasureScope = {
  readonly platform: PlatformName;
  /** Absent: in all workspaces. */
  readonly workspace?: WorkspaceId | undefined;
  /** For an organization, which is one workspace here: only data of these workspaces. */
  readonly teams?: readonly WorkspaceId[] | undefined;
  /** Only questions that were sent until then, facts that were learned, and documents that were added (ms since 1970): the second pass, for writes that were in flight. */
  readonly sentUntil?: number | undefined;
  /** Only data of this person; without it, all of the workspace. */
  readonly user?: UserId | undefined;
};
const by = v.object({ by: v.object({ S: v.string() }) });

/** The page size, which bounds the cost of a read. */
export const PAGE_SIZE = 500;
/** The maximum cost of a page: a scan reads at most 1 MB, 8 KB per unit. */
const MAX_PAGE_UNITS = 128;

/** Scans one page: returns the items of the scope, and the cursor. */
export async function scanPage(
  scan: TableScan,
  TableName: string,
  scope: ErasureScope,
  from: string | undefined,
): Promise<{ readonly items: readonly Item[]; readonly next: string | undefined; readonly pauseMs: number }> {
  const {
    Items = [],
    LastEvaluatedKey,
    ConsumedCapacity,
  } = await scan({
    TableName,
    Limit: PAGE_SIZE,
    ReturnConsumedCapacity: 'TOTAL',
    FilterExpression: 'contains(pk, :place)',
    ExpressionAttributeValues: { ':place': { S: scopePrefix(scope) } },
    ...startKey(from),
  });
  const items = Items.filter((item) => isInScope(item, scope));
  const pauseMs = scanPauseMs(ConsumedCapacity?.CapacityUnits, MAX_SCAN_UNITS_PER_SECOND);
  return { items, next: nextCursor(LastEvaluatedKey), pauseMs };
}

/** The maximum read units per second of a scan, of the 500 of the table (`infra/cdk/storage.ts`). */
export const MAX_SCAN_UNITS_PER_SECOND = 150;

/** Returns the pause after a page with this cost. Unknown cost counts as the largest page, 1 MB. */
export const scanPauseMs = (units: number | undefined, perSecond: number): number =>
  Math.ceil(((units ?? MAX_PAGE_UNITS) / perSecond) * 1_000);

/** The maximum write units per second of an erasure or a shorter retention, of the 500 of the table. */
const MAX_WRITE_UNITS_PER_SECOND = 150;
/** Half of the lease for scans: a page with its pause has to end before it. */
const MAX_WRITE_PAUSE_MS = 30_000;

/** Returns the pause after a page with this cost of its writes, at most 30 s. It is added to that for the reads. */
export const writePauseMs = (units: number): number =>
  Math.min(MAX_WRITE_PAUSE_MS, scanPauseMs(units, MAX_WRITE_UNITS_PER_SECOND));

export const startKey = (from: string | undefined) =>
  from === undefined ? {} : { ExclusiveStartKey: v.parse(keySchema, JSON.parse(from)) };

export const nextCursor = (last: Item | undefined): string | undefined =>
  last && JSON.stringify(v.parse(keySchema, last));

const scopePrefix = ({ platform, workspace }: Pick<ErasureScope, 'platform' | 'workspace'>): string =>
  workspace === undefined ? `${platform}#` : `${platform}#${workspace}`;

/**
 * The scan filter matches `slack#T1` in `slack#T12` too, so keys are checked again. Installs have their own
 * rule.
 */
export function isInScope(item: Item, { platform, workspace, teams, sentUntil }: ErasureScope): boolean {
  const { success, output: data } = v.safeParse(keySchema, item);
  if (!success || data.pk.S.startsWith('INSTALL#')) return false;
  if (sentUntil !== undefined && !wasSentUntil(item, data, sentUntil)) return false;
  if (teams?.every((team) => team !== item['ws']?.S)) return false;
  const place = scopePrefix({ platform, workspace });
  return `#${data.pk.S}#`.includes(`#${place}${workspace === undefined ? '' : '#'}`);
}

/** An index has the keys of facts and documents only: those have to be read first. */
function wasSentUntil(item: Item, { pk, sk }: Key, sentUntil: number): boolean {
  if (sk.S.startsWith(FIRST_TURN_KEY)) return getAskedTimeMs(item) <= sentUntil;
  if (pk.S.startsWith('KNOWLEDGE#')) return Number(item['at']?.N ?? 0) <= sentUntil;
  return pk.S.startsWith('FACTS#') && (getNewestFactTime(item) ?? 0) <= sentUntil;
}

/** Whether an item belongs to this person. */
export function isFromPerson(item: Item, user: UserId): boolean {
  const theirs = v.safeParse(by, item);
  const { pk, sk } = v.parse(keySchema, item);
  // Settings of a person's own chats with the bot are in their own partition.
  const isOwn = pk.S.startsWith('SETTINGS#') && pk.S.endsWith(`#${user}`);
  return isOwn || (theirs.success && theirs.output.by.S === user) || sk.S.endsWith(`#${user}`);
}

/** Whether an item is the message for which a person privately opened a modal: see `noteKey`. */
export const isNote = (item: Item): boolean => v.parse(keySchema, item).sk.S.startsWith('NOTE#');

/** Whether an item is an account: numbers only. */
export const isAccount = (item: Item): boolean => v.parse(keySchema, item).pk.S.startsWith('ACCOUNT#');

/** Whether an item is a settings level, with its audit log. */
export const isLevel = (item: Item): boolean => v.parse(keySchema, item).sk.S.startsWith('LEVEL#');
