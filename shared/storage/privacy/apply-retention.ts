import * as v from 'valibot';
import { type Thread, channelId, isPlatformName, workspaceId } from '../../domain/index.ts';
import { type JobId, jobId } from '../../video/jobs/index.ts';
import { type Dynamo, isConditionMet, type TableScan } from '../dynamodb/dynamo.ts';
import { estimateWriteUnits } from '../keys/item-size.ts';
import { parseRatingKey, type Item, numberValue } from '../keys/item-keys.ts';
import { getNewestFactTime } from '../facts/facts.ts';
import { CONCURRENCY } from '../recordings/recording-removal.ts';
import { scanPage, writePauseMs, type ErasureScope } from './erasure-scope.ts';
import { keySchema, type Key } from '../keys/key-schema.ts';
import { getMessageTimeMs, mapConcurrently } from '../../utils/index.ts';

export type RetentionConfig = {
  readonly dynamo: Pick<Dynamo, 'update'>;
  readonly scan: TableScan;
  readonly table: string;
};

type Channel = Pick<Thread, 'platform' | 'workspace' | 'channel'>;
/** Returns the retention of a channel in days; undefined if it is not set. */
export type RetentionPeriod = (channel: Channel) => Promise<number | undefined>;

/** The result of one page. `next` is the cursor; absent at the end of the table. */
export type RetentionPage = {
  /** Video jobs of the page: their items do not contain their date. */
  readonly jobs: readonly JobId[];
  readonly next?: string | undefined;
  /** The pause before the next page (ms), for other users of the table. */
  readonly pauseMs: number;
};

const DAY_S = 86_400;
const ttlSchema = v.object({ ttl: v.object({ N: v.string() }) });

/**
 * Shortens the expiry of existing content after the retention of a workspace or channel was shortened. Never
 * extends it. Scans the table, as erasure does; may be interrupted and repeated at any page.
 */
export class RetentionRun {
  readonly #config: RetentionConfig;

  constructor(config: RetentionConfig) {
    this.#config = config;
  }

  async page(
    scope: ErasureScope,
    from: string | undefined,
    retentionPeriod: RetentionPeriod,
  ): Promise<RetentionPage> {
    const { scan, table } = this.#config;
    const { items, next, pauseMs } = await scanPage(scan, table, scope, from);
    const isShortened = await mapConcurrently(items, CONCURRENCY, (item) =>
      this.#shorten(item, retentionPeriod),
    );
    const units = estimateWriteUnits(items.filter((_, i) => isShortened[i] === true));
    const jobs = items.flatMap((item) => jobId(v.parse(keySchema, item).sk.S.replace(/^VIDEO#/u, '')) ?? []);
    return { jobs, next, pauseMs: pauseMs + writePauseMs(units) };
  }

  /** Resolves with whether it changed the item. */
  async #shorten(item: Item, retentionPeriod: RetentionPeriod): Promise<boolean> {
    const Key = v.parse(keySchema, item);
    const facts = factsDate(Key, item);
    const content = facts ?? contentDate(Key);
    const days = content && (await retentionPeriod(content.channel));
    const before = v.is(ttlSchema, item) ? item.ttl : undefined;
    // Only facts may have no expiry.
    if (!content || days === undefined || !(before ?? facts)) return false;
    const ttl = Math.floor(content.at + days * DAY_S);
    if (ttl >= Number(before?.N ?? Infinity)) return false;
    const change = {
      TableName: this.#config.table,
      Key,
      UpdateExpression: 'SET #ttl = :ttl',
      // It may have been deleted or rewritten meanwhile: then it has the new expiry.
      ConditionExpression: before ? '#ttl = :before' : 'attribute_exists(pk) AND attribute_not_exists(#ttl)',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':ttl': numberValue(ttl), ...(before && { ':before': before }) },
    };
    return isConditionMet(this.#config.dynamo.update(change));
  }
}

/** Returns the date (s) of the newest fact of a person; undefined for other items. Facts are of no channel: that of the workspace holds. */
function factsDate({ pk }: Key, item: Item): { readonly channel: Channel; readonly at: number } | undefined {
  const newestAt = getNewestFactTime(item);
  const [, platform, workspace] = pk.S.split('#');
  if (newestAt === undefined || !isPlatformName(platform) || !workspace) return undefined;
  return {
    channel: { platform, workspace: workspaceId(workspace), channel: channelId('none') },
    at: newestAt / 1_000,
  };
}

/** Returns the channel and date (s) of a turn, transcript or rating; undefined for other items. */
function contentDate({ pk, sk }: Key): { readonly channel: Channel; readonly at: number } | undefined {
  const rated = parseRatingKey({ pk, sk });
  const place = rated ? `${pk.S.slice(pk.S.indexOf('#') + 1)}#${rated.channel}#${rated.message}` : pk.S;
  const [platform, workspace, channel, root] = place.replace(/^VOICE#/u, '').split('#');
  if (!isPlatformName(platform) || !workspace || !channel) return undefined;
  const message =
    rated || pk.S.startsWith('VOICE#') ? root : /^(?:POINTER#)?(?:TURN|VOICE)#([^#]+)/u.exec(sk.S)?.[1];
  const at = message === undefined ? Infinity : getMessageTimeMs(message) / 1_000;
  return at === Infinity
    ? undefined
    : { channel: { platform, workspace: workspaceId(workspace), channel: channelId(channel) }, at };
}
