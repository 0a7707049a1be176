import * as v from 'valibot';
import type { Thread } from '../../domain/index.ts';
import { channelId, isPlatformName, workspaceId } from '../../domain/index.ts';
import { type JobId, jobId } from '../../video/jobs/index.ts';
import { type Dynamo, ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { ratedIn } from '../interactions/rating-keys.ts';
import { mapConcurrently } from '../recordings/recording-removal.ts';
import { type Item, numeral, sentAt } from '../turns/turn-keys.ts';
import { key, type Key, pageOf, type TableScan, type ErasureScope } from './erasure-scope.ts';

export type RetentionConfig = {
  readonly dynamo: Pick<Dynamo, 'update'>;
  readonly scan: TableScan;
  readonly table: string;
};

type Channel = Pick<Thread, 'platform' | 'workspace' | 'channel'>;
/** For how many days what is said in a channel is kept; undefined where nobody set it. */
export type RetentionPeriod = (channel: Channel) => Promise<number | undefined>;

/** What one page came to. `next` is where to go on; absent at the end of the table. */
export type RetentionPage = {
  /** Jobs of videos that lie there: their time is not told by their items. */
  readonly jobs: readonly JobId[];
  readonly next?: string | undefined;
  /** For how long the table is to be left to others before the next page (ms). */
  readonly pauseMs: number;
};

const DAY_S = 86_400;
const alive = v.object({ ttl: v.object({ N: v.string() }) });

/**
 * Lets what was said before go as early as what is said now, where a workspace or a channel came to keep things for less
 * long. Nothing is made to stay longer. The table is read through, as for erasing; may be broken off and repeated at any page.
 */
export class RetentionRun {
  readonly #config: RetentionConfig;

  constructor(config: RetentionConfig) {
    this.#config = config;
  }

  async page(
    whose: ErasureScope,
    from: string | undefined,
    keptFor: RetentionPeriod,
  ): Promise<RetentionPage> {
    const { scan, table } = this.#config;
    const { items, next, pauseMs } = await pageOf(scan, table, whose, from);
    await mapConcurrently(items, (item) => this.#shorten(item, keptFor));
    const jobs = items.flatMap((item) => jobId(v.parse(key, item).sk.S.replace(/^VIDEO#/u, '')) ?? []);
    return { jobs, next, pauseMs };
  }

  async #shorten(item: Item, keptFor: RetentionPeriod): Promise<void> {
    const Key = v.parse(key, item);
    const said = saidIn(Key);
    const days = said && (await keptFor(said.channel));
    if (!said || days === undefined || !v.is(alive, item)) return;
    const ttl = Math.floor(said.at + days * DAY_S);
    if (ttl >= Number(item.ttl.N)) return;
    const change = {
      TableName: this.#config.table,
      Key,
      UpdateExpression: 'SET #ttl = :ttl',
      // It may have gone meanwhile, or have been written anew: that goes by what is set now.
      ConditionExpression: '#ttl = :before',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':ttl': numeral(ttl), ':before': item.ttl },
    };
    await ignoreConditionFailure(this.#config.dynamo.update(change));
  }
}

/** Where and when (s) a turn was said, or what was heard of a recording, or what was rated; undefined for all else. */
function saidIn({ pk, sk }: Key): { readonly channel: Channel; readonly at: number } | undefined {
  const rated = ratedIn({ pk, sk });
  const place = rated ? `${pk.S.slice(pk.S.indexOf('#') + 1)}#${rated.channel}#${rated.message}` : pk.S;
  const [platform, workspace, channel, root] = place.replace(/^VOICE#/u, '').split('#');
  if (!isPlatformName(platform) || !workspace || !channel) return undefined;
  const message =
    rated || pk.S.startsWith('VOICE#') ? root : /^(?:POINTER#)?(?:TURN|VOICE)#([^#]+)/u.exec(sk.S)?.[1];
  const at = message === undefined ? Infinity : sentAt(message);
  return at === Infinity
    ? undefined
    : { channel: { platform, workspace: workspaceId(workspace), channel: channelId(channel) }, at };
}
