import { DEFAULTS } from '../../shared/ports/index.ts';
import { toHolder, waitForPermit } from '../../shared/chat/model/wait-for-permit.ts';
import { workspaceId } from '../../shared/domain/index.ts';
import { CHAT_LIMIT, type RateLimit } from '../../shared/rate-limits/index.ts';
import { TokenBuckets, type Dynamo, KeyRateLimiter } from '../../shared/storage/index.ts';
import { localize } from '../../shared/i18n/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { createBucket } from '../simulators/upstream/limits/bucket.ts';
import { SimulatedTime } from './simulated-time.ts';

/** 2026-11-21T13:00:00Z */
export const T0 = 1_795_266_000_000;

/** One question: its person, and its time (ms from the start). */
export type Question = {
  readonly person: string;
  readonly atMs: number;
  /** The time in the task queue before a worker receives it (ms). */
  readonly queuedMs?: number | undefined;
  readonly weight?: number | undefined;
  /** The worker with this number dies this long after it received the question. */
  readonly diesAfterMs?: number | undefined;
};

/** The result. Times are in ms after the question. */
export type RequestResult = {
  readonly person: string;
  readonly notices: readonly { readonly atMs: number; readonly words: string }[];
  /** The time of its request; undefined if it returned to the queue. */
  readonly sentMs: number | undefined;
  readonly failed: string | undefined;
};

export type WaitingRequestsOptions = {
  readonly seed?: number;
  readonly workers?: number;
  /** The latency of the table (ms). */
  readonly slowMs?: number;
  readonly limit?: RateLimit;
  /** Runs concurrently. */
  readonly meanwhile?: (permits: KeyRateLimiter, clock: SimulatedTime) => Promise<void>;
};

/**
 * Many people ask through several workers with one table, in simulated time. Returns also the number of refusals by
 * the upstream's rule.
 */
export async function runWaitingRequests(
  questions: readonly Question[],
  { seed = 1, workers = 8, slowMs = 15, limit = CHAT_LIMIT, meanwhile }: WaitingRequestsOptions = {},
): Promise<{
  readonly results: readonly RequestResult[];
  readonly rejections: number;
  readonly reads: number;
  readonly writes: number;
}> {
  const random = createSeededRandom(seed);
  const clock = new SimulatedTime(T0);
  const now = (): number => Math.floor(clock.now);
  const calls = { reads: 0, writes: 0 };
  const dynamo = slow(createMemoryDynamo(), clock, random, slowMs, calls);
  const all = Array.from(
    { length: workers },
    () =>
      new KeyRateLimiter({
        buckets: new TokenBuckets(dynamo, 'tokens', now),
        family: 'chat',
        limit,
        keys: () => Promise.resolve(['key']),
        now,
        random,
      }),
  );
  const [first] = all;
  if (meanwhile && first) clock.at(T0, () => void meanwhile(first, clock));
  const theirs = createBucket(limit);
  let rejections = 0;
  let over = 0;
  const results: RequestResult[] = [];
  const one = async (at: number, { person, weight, diesAfterMs, atMs }: Question): Promise<void> => {
    const permits = all[at % all.length];
    if (!permits) return;
    const notices: { atMs: number; words: string }[] = [];
    const requestedAtMs = T0 + atMs;
    const dead = diesAfterMs === undefined ? Infinity : requestedAtMs + diesAfterMs;
    const never = new Promise<never>(() => undefined);
    const sleep = (ms: number) => (clock.now + ms > dead ? never : clock.sleep(ms));
    if (diesAfterMs !== undefined) over += 1;
    const result = await waitForPermit({
      statusIndicator: {
        show: (saying) =>
          void notices.push({ atMs: clock.now - requestedAtMs, words: localize('en', ...saying) }),
      },
      signal: new AbortController().signal,
      deadlineMs: requestedAtMs + 60_000,
      permitRequest: {
        ...toHolder({ platform: 'slack', workspace: workspaceId('T1') }, person),
        weight,
        requestedAtMs,
      },
      context: { permits, time: { now, sleep }, settings: { ...DEFAULTS, zone: 'Europe/Berlin' } },
    }).catch((error: unknown) => (error instanceof Error ? error.name : 'unknown'));
    const sent = typeof result !== 'string';
    results[at] = {
      person,
      notices,
      sentMs: sent ? clock.now - requestedAtMs : undefined,
      failed: sent ? undefined : result,
    };
    if (sent && !theirs.take(clock.now).allowed) rejections += 1;
    over += 1;
  };
  for (const [at, question] of questions.entries())
    clock.at(T0 + question.atMs + (question.queuedMs ?? 0), () => void one(at, question));
  await clock.run(() => over === questions.length);
  return { results: results.filter((each) => each !== undefined), rejections, ...calls };
}

function slow(
  inner: Dynamo,
  clock: SimulatedTime,
  random: () => number,
  ms: number,
  calls: { reads: number; writes: number },
): Dynamo {
  const late = async <T>(call: () => Promise<T>): Promise<T> => {
    if (ms > 0) await clock.sleep((random() * ms) / 2);
    const result = await call().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (ms > 0) await clock.sleep((random() * ms) / 2);
    if ('error' in result) throw result.error;
    return result.value;
  };
  return {
    ...inner,
    get: (input) => late(() => ((calls.reads += 1), inner.get(input))),
    update: (input) => late(() => ((calls.writes += 1), inner.update(input))),
  };
}

/** The order of questions: alternating by person, person by person, or random. */
export type Order = 'in turn' | 'all of one' | 'by chance';

/** This many questions of this many people, within `spreadMs`. */
export function createArrivals(
  order: Order,
  people: number,
  each: number,
  spreadMs: number,
  seed = 1,
): Question[] {
  const random = createSeededRandom(seed);
  const owners = Array.from({ length: people * each }, (_, n) =>
    order === 'all of one' ? Math.floor(n / each) : n % people,
  );
  const ordered =
    order === 'by chance'
      ? owners
          .map((person) => ({ person, at: random() }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ person }) => person)
      : owners;
  return ordered.map((person, n) => ({ person: `U${person}`, atMs: (n * spreadMs) / ordered.length }));
}

/** The average wait of each person (ms). */
export function meansOf(results: readonly RequestResult[]): number[] {
  const byPerson = Map.groupBy(results, ({ person }) => person);
  return [...byPerson.values()].map(
    (all) => all.reduce((sum, { sentMs = 0 }) => sum + sentMs, 0) / all.length,
  );
}

/** Jain's index of fairness: 1 is equal, 1/n is everything for one. */
export function jain(values: readonly number[]): number {
  const sum = values.reduce((total, each) => total + each, 0);
  const squares = values.reduce((total, each) => total + each * each, 0);
  return squares === 0 ? 1 : sum ** 2 / (values.length * squares);
}

/** Each reported wait time and the actual one, both in ms from the report. */
export const promises = ({ notices, sentMs = Infinity }: RequestResult) =>
  notices
    .filter(({ words }) => words.includes('about'))
    .map(({ atMs, words }) => ({
      atMs,
      saidMs: Number(/about (\d+) s/u.exec(words)?.[1] ?? Number.NaN) * 1_000,
      wasMs: sentMs - atMs,
    }));

/** The first wait time that a person saw, or the last before `byMs`. */
export function promised(result: RequestResult, byMs?: number) {
  const all = promises(result);
  return byMs === undefined ? all[0] : all.findLast(({ atMs }) => atMs <= byMs);
}

/**
 * Whether a reported wait time is correct: within a third of the remaining wait, or within a second. Reports have
 * whole seconds, so half a second of error; one request more or less ahead is another half.
 */
export const isTrue = ({ saidMs, wasMs }: { readonly saidMs: number; readonly wasMs: number }): boolean =>
  Math.abs(saidMs - wasMs) <= Math.max(wasMs / 3, 1_000);
