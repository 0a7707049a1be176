import type { ScanCommandInput, ScanCommandOutput } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { PlatformName, UserId, WorkspaceId } from '../../domain/index.ts';
import type { Item } from '../turns/turn-keys.ts';

/** Whose traces are looked for. */
export type ErasureScope = {
  readonly platform: PlatformName;
  /** Absent: wherever this person was. */
  readonly workspace?: WorkspaceId | undefined;
  /** Of an organisation, which is one workspace here: only what was asked from these workspaces of it. */
  readonly teams?: readonly WorkspaceId[] | undefined;
  /** This person's alone; without it, all of the workspace. */
  readonly user?: UserId | undefined;
};

/** Reads a table page by page. The one call that looks at more than it names: made by one task of the deployment at a time, see `ScanLease`. */
export type TableScan = (
  input: ScanCommandInput,
) => Promise<Pick<ScanCommandOutput, 'Items' | 'LastEvaluatedKey' | 'ConsumedCapacity'>>;

export const key = v.object({ pk: v.object({ S: v.string() }), sk: v.object({ S: v.string() }) });
export type Key = v.InferOutput<typeof key>;
const by = v.object({ by: v.object({ S: v.string() }) });

/** Items of one page, which bounds what one call reads. */
export const PAGE = 500;
/** What a page costs at most: a scan reads at most 1 MB, and 8 KB for a unit. */
const MAX_PAGE_UNITS = 128;

/** One page of the table: the items that lie in the place of whoever is meant, and where to go on. */
export async function pageOf(
  scan: TableScan,
  TableName: string,
  whose: ErasureScope,
  from: string | undefined,
): Promise<{ readonly items: readonly Item[]; readonly next: string | undefined; readonly pauseMs: number }> {
  const {
    Items = [],
    LastEvaluatedKey,
    ConsumedCapacity,
  } = await scan({
    TableName,
    Limit: PAGE,
    ReturnConsumedCapacity: 'TOTAL',
    FilterExpression: 'contains(pk, :place)',
    ExpressionAttributeValues: { ':place': { S: placeOf(whose) } },
    ...startAt(from),
  });
  const items = Items.filter((item) => isIn(item, whose));
  const pauseMs = scanPauseMs(ConsumedCapacity?.CapacityUnits, MAX_SCAN_UNITS_PER_SECOND);
  return { items, next: nextOf(LastEvaluatedKey), pauseMs };
}

/** Read units that reading the table through may take in a second, of the 500 that the table has (`infra/cdk/storage.ts`). */
export const MAX_SCAN_UNITS_PER_SECOND = 150;

/** For how long the table is left to others after a page that took so many read units. Unknown: as for the largest page, 1 MB. */
export const scanPauseMs = (units: number | undefined, perSecond: number): number =>
  Math.ceil(((units ?? MAX_PAGE_UNITS) / perSecond) * 1_000);

export const startAt = (from: string | undefined) =>
  from === undefined ? {} : { ExclusiveStartKey: v.parse(key, JSON.parse(from)) };

export const nextOf = (last: Item | undefined): string | undefined =>
  last && JSON.stringify(v.parse(key, last));

const placeOf = ({ platform, workspace }: Pick<ErasureScope, 'platform' | 'workspace'>): string =>
  workspace === undefined ? `${platform}#` : `${platform}#${workspace}`;

/** The filter takes `slack#T1` in `slack#T12` too, so that keys are looked at once more. Installs go by their own rule. */
export function isIn(item: Item, { platform, workspace, teams }: ErasureScope): boolean {
  const { success, output: data } = v.safeParse(key, item);
  if (!success || data.pk.S.startsWith('INSTALL#')) return false;
  if (teams?.every((team) => team !== item['ws']?.S)) return false;
  const place = placeOf({ platform, workspace });
  return `#${data.pk.S}#`.includes(`#${place}${workspace === undefined ? '' : '#'}`);
}

/** Whether an item was left by this person. */
export function isBy(item: Item, user: UserId): boolean {
  const theirs = v.safeParse(by, item);
  const { pk, sk } = v.parse(key, item);
  // What is set in one's chats with the bot alone lies in a partition of one's own.
  const own = pk.S.startsWith('SETTINGS#') && pk.S.endsWith(`#${user}`);
  return own || (theirs.success && theirs.output.by.S === user) || sk.S.endsWith(`#${user}`);
}

/** What a person spent, as numbers. */
export const isAccount = (item: Item): boolean => v.parse(key, item).pk.S.startsWith('ACCOUNT#');

/** What is set at one level, with the list of its changes. */
export const isLevel = (item: Item): boolean => v.parse(key, item).sk.S.startsWith('LEVEL#');

/** By what name an answer keeps what this person thinks of it. */
export const opinionOf = (user: UserId): string => `fb_${user}`;
