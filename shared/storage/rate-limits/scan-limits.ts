import {
  ENDPOINT_LIMITS,
  type EndpointFamily,
  createGcraRule,
  getLearnedLimit,
  LEARNING_FAMILIES,
} from '../../rate-limits/index.ts';
import type { TableScan } from '../dynamodb/dynamo.ts';
import type { Item } from '../keys/item-keys.ts';
import { listActive, readBucketState } from './bucket-item.ts';

/** How much of the rate limit of an API key is used, for one family of endpoints. */
export type LimitUsage = {
  /** The start of the key's hash. */
  readonly key: string;
  readonly family: EndpointFamily;
  /** Requests of the burst that are used, 0 to `burst`. */
  readonly used: number;
  readonly burst: number;
  /** Requests in the wait queue. */
  readonly waiting: number;
  /** Nothing is sent before this time (ms since 1970); undefined if there is no pause. */
  readonly pausedUntilMs: number | undefined;
};

/** A model whose circuit breaker is open until this time (ms since 1970). */
export type OpenBreaker = { readonly model: string; readonly untilMs: number };

export type ScannedLimits = {
  readonly limits: readonly LimitUsage[];
  readonly breakers: readonly OpenBreaker[];
};

const BUCKET = /^KEY#(?<key>[^#]+)#(?<family>chat|models|speech|video)$/u;
const MODEL_PREFIX = 'MODEL#';

/**
 * Returns the state of all rate limits and circuit breakers by a scan of the table, at most `maxPages` pages of 1 MB. Uses the
 * default limits: a deployment may have set others for speech and videos.
 */
export async function scanLimits(
  scan: TableScan,
  table: string,
  nowMs: number,
  maxPages: number,
): Promise<ScannedLimits> {
  const limits: LimitUsage[] = [];
  const breakers: OpenBreaker[] = [];
  let start: Item | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { Items = [], LastEvaluatedKey } = await scan({
      TableName: table,
      FilterExpression: 'begins_with(pk, :key) OR begins_with(pk, :model)',
      ExpressionAttributeValues: { ':key': { S: 'KEY#' }, ':model': { S: MODEL_PREFIX } },
      ...(start && { ExclusiveStartKey: start }),
    });
    for (const item of Items) {
      limits.push(...readLimit(item, nowMs));
      breakers.push(...readBreaker(item, nowMs));
    }
    if (!LastEvaluatedKey) break;
    start = LastEvaluatedKey;
  }
  return { limits, breakers };
}

function readLimit(item: Item, nowMs: number): LimitUsage[] {
  const { key, family } = BUCKET.exec(item['pk']?.S ?? '')?.groups ?? {};
  if (key === undefined || !isFamily(family)) return [];
  const state = readBucketState(item, nowMs);
  const limit = LEARNING_FAMILIES.has(family)
    ? getLearnedLimit(ENDPOINT_LIMITS[family], state.learned, nowMs)
    : ENDPOINT_LIMITS[family];
  const { intervalUs } = createGcraRule(limit);
  const used = Math.ceil((state.tat - nowMs * 1_000) / intervalUs);
  const pausedUntilMs = state.pausedUntilUs / 1_000;
  return [
    {
      key,
      family,
      used: Math.min(limit.burst, Math.max(0, used)),
      burst: limit.burst,
      waiting: listActive(state, nowMs).length,
      pausedUntilMs: pausedUntilMs > nowMs ? pausedUntilMs : undefined,
    },
  ];
}

const isFamily = (name: string | undefined): name is EndpointFamily =>
  name !== undefined && Object.hasOwn(ENDPOINT_LIMITS, name);

/** `opens`: when the model gets requests again. */
function readBreaker(item: Item, nowMs: number): OpenBreaker[] {
  const pk = item['pk']?.S ?? '';
  const untilMs = Number(item['opens']?.N ?? 0);
  return pk.startsWith(MODEL_PREFIX) && untilMs > nowMs
    ? [{ model: pk.slice(MODEL_PREFIX.length), untilMs }]
    : [];
}
