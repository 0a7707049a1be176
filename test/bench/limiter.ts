import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as v from 'valibot';
import { CHAT_LIMIT, createGcraRule } from '../../shared/rate-limits/index.ts';
import { TokenBuckets, type Dynamo } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { createBucket } from '../simulators/upstream/limits/bucket.ts';
import type { Row } from './report-table.ts';

const HERE = join(import.meta.dirname, 'limiter');
const T0 = 1_700_000_000_000;
const MINUTES = 60;
const MINUTE_MS = 60_000;
/** Three times what the key allows. */
const GAP_MS = MINUTE_MS / 360;

type Consume = () => Promise<boolean>;
type Made = (dynamo: Dynamo, now: () => number) => Consume;

/**
 * The limiter beside the DynamoDB store of `rate-limiter-flexible`: the same simulated hour at three times the load,
 * on a table in memory, checked by the upstream's own rule (120 a minute, 30 at once).
 */
export async function limiter(): Promise<Row[]> {
  const theirs = install();
  const ours = await hour((dynamo, now) => {
    const buckets = new TokenBuckets(dynamo, 'tokens', now);
    return async () => (await buckets.take('key', createGcraRule(CHAT_LIMIT), { maxWaitMs: 0 })).granted;
  });
  const minute = await hour(theirs(120, 60));
  const quarter = await hour(theirs(30, 15));
  return [
    ...rows('ours', ours, true),
    ...rows('rate-limiter-flexible, 120 in 60 s', minute, false),
    ...rows('rate-limiter-flexible, 30 in 15 s', quarter, false),
  ];
}

type Hour = Awaited<ReturnType<typeof hour>>;

const rows = (who: string, { maxWait, rejections, writes, admitted }: Hour, judged: boolean): Row[] => [
  {
    what: `${who}: admitted in the worst minute`,
    value: maxWait,
    unit: 'requests',
    ...(judged && { limit: 150 }),
  },
  { what: `${who}: 429s of the upstream`, value: rejections, unit: 'requests', ...(judged && { limit: 0 }) },
  {
    what: `${who}: writes per request admitted`,
    value: writes / admitted,
    unit: 'writes',
    ...(judged && { limit: 2 }),
  },
  {
    what: `${who}: of what the key allows`,
    value: ((admitted - rejections) / (CHAT_LIMIT.burst + MINUTES * CHAT_LIMIT.perMinute)) * 100,
    unit: '%',
    ...(judged && { least: 98 }),
  },
];

/** A simulated hour. The clock of the process is set too, since their limiter reads no other. */
async function hour(make: Made) {
  const random = createSeededRandom(1);
  const clock = { now: T0 };
  const memory = createMemoryDynamo();
  let writes = 0;
  const dynamo: Dynamo = {
    ...memory,
    update: (input) => {
      writes += 1;
      return memory.update(input);
    },
  };
  const upstream = createBucket(CHAT_LIMIT);
  const sent: number[] = [];
  let rejections = 0;
  const realNow = Date.now;
  Date.now = () => Math.floor(clock.now);
  try {
    const consume = make(dynamo, () => Math.floor(clock.now));
    while (clock.now < T0 + MINUTES * MINUTE_MS) {
      clock.now += -Math.log(1 - random()) * GAP_MS;
      if (!(await consume())) continue;
      sent.push(clock.now);
      if (!upstream.take(clock.now).allowed) rejections += 1;
    }
  } finally {
    Date.now = realNow;
  }
  return { maxWait: mostInMinute(sent), rejections, writes, admitted: sent.length };
}

function mostInMinute(sent: readonly number[]): number {
  let first = 0;
  let maxWait = 0;
  for (const [at, moment] of sent.entries()) {
    while ((sent[first] ?? moment) <= moment - MINUTE_MS) first += 1;
    maxWait = Math.max(maxWait, at - first + 1);
  }
  return maxWait;
}

const theirPackage = v.object({
  RateLimiterDynamo: v.custom<TheirLimiter>((it) => typeof it === 'function'),
});
type Store = { readonly updateItem: Dynamo['update'] };
/** As its documentation has it. */
type TheirLimiter = new (options: {
  storeClient: Store;
  tableName: string;
  tableCreated: boolean;
  ttlSet: boolean;
  points: number;
  duration: number;
}) => { consume: (key: string) => Promise<unknown> };

/** Installs the package if it is missing. */
function install(): (points: number, duration: number) => Made {
  if (!existsSync(join(HERE, 'node_modules'))) {
    const args = ['ci', '--prefix', HERE, '--ignore-scripts', '--no-fund', '--no-audit'];
    const { status } = spawnSync('npm', args, { stdio: 'inherit', timeout: 120_000 });
    if (status !== 0) throw new Error('rate-limiter-flexible could not be installed');
  }
  const loaded: unknown = createRequire(join(HERE, 'package.json'))('rate-limiter-flexible');
  const { RateLimiterDynamo } = v.parse(theirPackage, loaded);
  return (points, duration) => (dynamo) => {
    const storeClient: Store = { updateItem: (input) => dynamo.update(input) };
    const table = { tableName: 'tokens', tableCreated: true, ttlSet: true };
    const theirs = new RateLimiterDynamo({ storeClient, ...table, points, duration });
    return () =>
      theirs.consume('key').then(
        () => true,
        (reason: unknown) => {
          if (reason instanceof Error) throw reason;
          return false;
        },
      );
  };
}
