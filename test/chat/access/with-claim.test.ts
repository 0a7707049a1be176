import { expect, test } from '@jest/globals';
import {
  withClaim,
  ClaimLostError,
  keepLease,
  LEASE_MS,
  startConfirmation,
} from '../../../shared/chat/access/with-claim.ts';
import { Turns } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { TestTime } from '../../upstream/time.ts';
import { TURN } from '../completion-harness.ts';

/** A turn that can be claimed, with time that advances in steps. */
async function turnWorld() {
  const time = new TestTime(1_000);
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now: time.now };
  const turns = new Turns(store);
  await turns.accept(TURN, 'Why?', []);
  /** Advances time by seconds, and runs what is due. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      time.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const claim = async (takeOver = false): Promise<number> => {
    const turnClaim = await turns.claim(TURN, LEASE_MS, takeOver);
    if (turnClaim.kind !== 'held') throw new Error(`the claim is ${turnClaim.kind}`);
    return turnClaim.fence;
  };
  return { turns, time, pass, claim, context: { turns, time } };
}

const forbidden = () => Promise.reject(new Error('nobody may work on this'));

test('a lease is renewed while its holder works, and expires one minute after the last renewal', async () => {
  const { turns, time, pass, claim } = await turnWorld();
  const lease = keepLease(turns, TURN, { fence: await claim() }, time);
  await pass(300);
  expect(await turns.claim(TURN, LEASE_MS)).toMatchObject({ kind: 'taken' });
  expect(lease.signal.aborted).toBe(false);
  lease.end();
  await pass(61);
  expect(await turns.claim(TURN, LEASE_MS)).toMatchObject({ kind: 'held' });
});

test('a lease survives two failed renewals in a row', async () => {
  const { turns, time, pass, claim } = await turnWorld();
  let failures = 0;
  const failing: Pick<Turns, 'renew'> = {
    renew: (...args) => {
      failures += 1;
      return failures <= 2 ? Promise.reject(new Error('the table is away')) : turns.renew(...args);
    },
  };
  const lease = keepLease(failing, TURN, { fence: await claim() }, time);
  await pass(59);
  expect(failures).toBe(2);
  await pass(40);
  expect(lease.signal.aborted).toBe(false);
  expect(await turns.claim(TURN, LEASE_MS)).toMatchObject({ kind: 'taken' });
  lease.end();
});

test('a worker that lost its lease learns it at the next renewal or the next write', async () => {
  const { turns, time, pass, claim } = await turnWorld();
  const lease = keepLease(turns, TURN, { fence: await claim() }, time);
  const later = keepLease(turns, TURN, { fence: await claim(true) }, time);
  await pass(21);
  expect(lease.signal.reason).toBeInstanceOf(ClaimLostError);
  expect(later.signal.aborted).toBe(false);
  await claim(true);
  await turns.savePosted(TURN, 2, []).catch(later.endIfLost);
  expect(later.signal.reason).toBeInstanceOf(ClaimLostError);
  lease.end();
  later.end();
});

test('failed work releases its lease, so that the next delivery continues at once', async () => {
  const { turns, context } = await turnWorld();
  const failing = withClaim(TURN, { context, isRedelivery: false }, () =>
    Promise.reject(new Error('the platform is away')),
  );
  await expect(failing).rejects.toThrow('the platform is away');
  expect(await turns.claim(TURN, LEASE_MS)).toMatchObject({ kind: 'held', fence: 2 });
});

test('work that lost its lease is not a failure: it is retried, and the new lease stays with its holder', async () => {
  const { turns, context, claim } = await turnWorld();
  const verdict = await withClaim(TURN, { context, isRedelivery: false }, async ({ fence }, lease) => {
    await claim(true);
    await turns.savePosted(TURN, fence, []).catch(lease.endIfLost);
    throw lease.signal.reason;
  });
  expect(verdict).toEqual({ kind: 'later', afterMs: 1_000 });
  expect(await turns.claim(TURN, LEASE_MS)).toMatchObject({ kind: 'taken' });
});

test('a turn that another worker holds is retried when that lease has expired; a removed turn is done', async () => {
  const { turns, context, claim, pass } = await turnWorld();
  const fence = await claim();
  await pass(20);
  expect(await withClaim(TURN, { context, isRedelivery: false }, forbidden)).toEqual({
    kind: 'later',
    afterMs: 40_000,
  });
  await turns.remove(TURN, fence);
  let lostCount = 0;
  const verdict = await withClaim(
    TURN,
    { context, isRedelivery: false },
    forbidden,
    async () => void (lostCount += 1),
  );
  expect([verdict, lostCount]).toEqual([{ kind: 'done' }, 1]);
});

test('a lease that was last confirmed some seconds ago is confirmed again before a paid request', async () => {
  const { turns, time, pass, claim } = await turnWorld();
  const lease = keepLease(turns, TURN, { fence: await claim(), confirmation: startConfirmation(time) }, time);
  await expect(lease.confirm()).resolves.toBeUndefined();
  // Another process has the lease now; this one will learn it at its next renewal, seconds later.
  await claim(true);
  await pass(4);
  expect(lease.signal.aborted).toBe(false);
  await expect(lease.confirm()).rejects.toThrow(ClaimLostError);
  expect(lease.signal.aborted).toBe(true);
  lease.end();
});

test.each(['of the claim', 'of a renewal'])(
  'a confirmation %s that is some seconds old counts as old also if the clock was set back meanwhile',
  async (which) => {
    const { turns, time, pass, claim } = await turnWorld();
    let setBackMs = 0;
    const clock = { now: () => time.now() - setBackMs, sleep: time.sleep };
    const confirmation = which === 'of the claim' ? startConfirmation(clock) : undefined;
    const lease = keepLease(turns, TURN, { fence: await claim(), confirmation }, clock);
    await lease.confirm();
    await claim(true);
    await pass(5);
    setBackMs = 5_000;
    await expect(lease.confirm()).rejects.toThrow(ClaimLostError);
    lease.end();
  },
);

test('no request is sent if the table cannot be reached to confirm the lease: another delivery may have answered', async () => {
  const { turns, time, pass, claim } = await turnWorld();
  const fence = await claim();
  let isAway = true;
  const flaky: Pick<Turns, 'renew'> = {
    renew: (...args) => (isAway ? Promise.reject(new Error('the table is away')) : turns.renew(...args)),
  };
  const lease = keepLease(flaky, TURN, { fence }, time);
  await pass(12);
  await expect(lease.confirm()).rejects.toThrow('the table is away');
  // The renewals go on.
  await pass(12);
  expect(lease.signal.aborted).toBe(false);
  isAway = false;
  await expect(lease.confirm()).resolves.toBeUndefined();
  lease.end();
});

test('a claim whose response was slow is confirmed before the first request: another delivery may have it', async () => {
  const { turns, time, claim } = await turnWorld();
  const slow: Pick<Turns, 'claim' | 'renew'> = {
    claim: async (...args) => {
      const turnClaim = await turns.claim(...args);
      time.advance(12_000);
      await claim(true);
      return turnClaim;
    },
    renew: (...args) => turns.renew(...args),
  };
  let requests = 0;
  const slowly = { context: { turns: slow, time }, isRedelivery: false };
  const result = await withClaim(TURN, slowly, async (_, lease) => {
    await lease.confirm();
    requests += 1;
    return { kind: 'done' };
  });
  expect([result, requests]).toEqual([{ kind: 'later', afterMs: 1_000 }, 0]);
});

test('a claim that was taken over is confirmed before its first request: another delivery may have it', async () => {
  const { turns, time, claim } = await turnWorld();
  const first = keepLease(turns, TURN, { fence: await claim(true) }, time);
  const second = keepLease(turns, TURN, { fence: await claim(true) }, time);
  await expect(first.confirm()).rejects.toThrow(ClaimLostError);
  await expect(second.confirm()).resolves.toBeUndefined();
  first.end();
  second.end();
});

test('the claim of a task that another process may run too is confirmed before its first request', async () => {
  const { turns, time, claim } = await turnWorld();
  let requests = 0;
  const options = { context: { turns, time }, isRedelivery: false, mayRunTwice: true };
  const result = await withClaim(TURN, options, async (_, lease) => {
    await claim(true);
    await lease.confirm();
    requests += 1;
    return { kind: 'done' };
  });
  expect([result, requests]).toEqual([{ kind: 'later', afterMs: 1_000 }, 0]);
});
