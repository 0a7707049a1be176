import { describe, expect, test } from '@jest/globals';
import { CHAT_LIMIT, type RateLimit } from '../../../shared/rate-limits/index.ts';
import { KeyRateLimiter, type PermitRequest, TokenBuckets } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { createSeededRandom } from '../../faults/seeded-random.ts';

const T0 = 1_700_000_000_000;

/** Two processes with these keys. */
function harness(keys: readonly string[], limit: RateLimit = CHAT_LIMIT) {
  let now = T0;
  const dynamo = createMemoryDynamo();
  const random = createSeededRandom(1);
  const make = (usable = keys): KeyRateLimiter =>
    new KeyRateLimiter({
      buckets: new TokenBuckets(dynamo, 'tokens', () => now),
      random,
      family: 'chat',
      limit,
      keys: () => Promise.resolve(usable),
      now: () => now,
      onTableUnavailable: (_, error) => {
        throw error;
      },
    });
  /** Uses up the burst of a key. */
  const drain = async (key: string): Promise<void> => {
    const one = make([key]);
    while ((await one.take({ priority: 'person', maxWaitMs: 0 })).kind === 'granted');
  };
  const entries = (key: string): number =>
    dynamo.find('tokens', { pk: { S: `KEY#${key}#chat` } })?.['waiters']?.SS?.length ?? 0;
  return { permits: make(), other: make(), drain, entries, at: (ms: number) => (now = T0 + ms) };
}

const asks = (person: string, more: Partial<PermitRequest> = {}): PermitRequest => ({
  priority: 'person',
  person,
  maxWaitMs: 60_000,
  ...more,
});

test('a request that leaves the queue after its entry has expired removes the entry', async () => {
  const { permits, drain, entries, at } = harness(['one']);
  await drain('one');
  const decision = await permits.take(asks('ada'));
  if (decision.kind !== 'waiting') throw new Error(decision.kind);
  expect(entries('one')).toBe(1);
  at(25_000);
  await permits.leave(decision.place);
  expect(entries('one')).toBe(0);
});

test('a question with a place in the queue of one key leaves it when another key has a permit', async () => {
  const { permits, other, drain, entries, at } = harness(['one', 'two']);
  await drain('one');
  await drain('two');
  const question = asks('ada', { id: 'question-1' });
  const decision = await permits.take(question);
  if (decision.kind !== 'waiting') throw new Error(decision.kind);
  const full = decision.place.key;
  const free = full === 'one' ? 'two' : 'one';
  expect([entries(full), entries(free)]).toEqual([1, 0]);
  // The burst of the other key is complete again. The question returns to a process that knows nothing of the queues.
  at(16_000);
  expect(await other.take(question)).toMatchObject({ kind: 'granted', permit: { key: free } });
  expect([entries(full), entries(free)]).toEqual([0, 0]);
});

test('a question whose key is paused goes to another key that is much sooner', async () => {
  const { permits, other, drain, entries, at } = harness(['one', 'two']);
  await drain('one');
  await drain('two');
  const question = asks('ada', { id: 'question-1', maxWaitMs: Infinity });
  const decision = await permits.take(question);
  if (decision.kind !== 'waiting') throw new Error(decision.kind);
  const paused = decision.place.key;
  const open = paused === 'one' ? 'two' : 'one';
  // While both are as busy, it stays.
  expect(await other.find({ id: 'question-1' })).toMatchObject({ ahead: 0 });
  await permits.report({ key: paused }, { status: 429, retryAfterMs: 1_800_000, sentMs: T0 });
  at(300);
  // Others wait for that key too.
  await other.take(asks('bob'));
  expect(await other.find({ id: 'question-1' })).toBeUndefined();
  expect(await other.take(question)).toMatchObject({ kind: 'waiting', place: { key: open } });
  expect([entries(paused), entries(open)]).toEqual([0, 2]);
  expect((await permits.find({ id: 'question-1' }))?.waitMs).toBeLessThan(3_000);
});

/** Two questions wait in different processes. That of Ada is before that of Bob. */
async function waiting() {
  const rig = harness(['one'], { perMinute: 225, burst: 5 });
  await rig.drain('one');
  const places = [];
  for (const [at, person] of ['ada', 'bob'].entries()) {
    const decision = await (at === 0 ? rig.permits : rig.other).take(
      asks(person, { requestedAtMs: T0 + at }),
    );
    if (decision.kind !== 'waiting') throw new Error(decision.kind);
    places.push(decision.place);
  }
  const [ada, bob] = places;
  if (!ada || !bob) throw new Error('no place');
  return { ...rig, ada, bob };
}

describe('a turn that nobody takes, with a burst of one', () => {
  test('is left to its question for half a second, and then goes to the next one', async () => {
    const { other, bob, entries, at } = await waiting();
    // The bucket is full from here on.
    at(270);
    expect(await other.poll(bob)).toMatchObject({ kind: 'waiting', ahead: 1 });
    at(600);
    expect(await other.poll(bob)).toMatchObject({ kind: 'waiting', ahead: 1 });
    at(800);
    expect(await other.poll(bob)).toMatchObject({ kind: 'granted' });
    // It does not delay the others a second time.
    expect(entries('one')).toBe(0);
  });

  test('is not lost: its question joins the queue again, before those that came later', async () => {
    const { permits, other, ada, bob, at } = await waiting();
    at(800);
    expect(await other.poll(bob)).toMatchObject({ kind: 'granted' });
    const eve = await other.take(asks('eve', { requestedAtMs: T0 + 2 }));
    expect(eve).toMatchObject({ kind: 'waiting', ahead: 0 });
    expect(await permits.poll(ada)).toMatchObject({ kind: 'waiting', ahead: 0 });
    at(1_070);
    expect(await permits.poll(ada)).toMatchObject({ kind: 'granted' });
  });

  test('does not go to a question that has just been asked', async () => {
    const { other, at } = await waiting();
    at(10_000);
    expect(await other.take(asks('eve', { requestedAtMs: T0 + 10_000 }))).toMatchObject({
      kind: 'waiting',
      ahead: 2,
    });
  });
});
