import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Gateway } from '../../../simulators/discord/gateway.ts';
import { until } from './turn-clock.ts';
import { startGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
let harness: GatewayHarness;

beforeEach(async () => {
  harness = await startGatewayHarness();
});
afterEach(() => harness.close());

const events = (name: string): unknown[] => harness.logs.filter(({ event }) => event === name);
const connected = (): Promise<void> => until(() => harness.gateway.connected === 1);

/** A relay that stopped logs it again every five minutes, and does nothing else. */
const stoppedTwice = async (): Promise<void> => {
  await until(() => events('gateway.stopped').length === 1);
  await harness.clock.pass(301_000);
  expect(events('gateway.stopped')).toHaveLength(2);
};

type Fault = readonly [name: string, injectFault: (gateway: Gateway) => void];

/**
 * Asks before and after a fault of the connection. Resolves with what arrived, and the number of sessions. It has
 * simulators of its own.
 */
async function across(injectFault: Fault[1]): Promise<object> {
  const own = await startGatewayHarness();
  const { guilds, gateway, delivered } = own;
  try {
    await own.relay();
    await until(() => own.hasStarted);
    guilds.ask('one');
    await until(() => delivered.length === 1);
    injectFault(gateway);
    guilds.ask('two');
    await until(() => delivered.length === 2);
    guilds.ask('three');
    await until(() => delivered.length === 3);
    const { identifies, resumed } = gateway.counts;
    return { texts: own.texts(), identifies, resumed, left: guilds.budget.remaining };
  } finally {
    await own.close();
  }
}

const closes = (code: number): Fault => [`Discord closes with ${code}`, (gateway) => gateway.closeAll(code)];
const ends = (code: number): Fault => [
  `Discord ends the session with ${code}`,
  (gateway) => {
    gateway.forget();
    gateway.closeAll(code);
  },
];

const MENDED: readonly Fault[] = [
  ['the connection breaks', (gateway) => gateway.drop()],
  ['Discord asks to come back (op 7)', (gateway) => gateway.reconnect()],
  ['Discord interrupts a session that can be resumed (op 9, true)', (gateway) => gateway.invalidate(true)],
  ...[4000, 4001, 4002, 4009, 1011, 4999].map(closes),
];

// Concurrently, because the client waits half a second before it reconnects.
test.concurrent.each(MENDED)(
  '%s: the session is resumed, nothing is lost, and no new session starts',
  async (_, injectFault) => {
    const texts = ['one', 'two', 'three'];
    expect(await across(injectFault)).toEqual({ texts, identifies: 1, resumed: 1, left: 999 });
  },
);

test('missing heartbeat ACKs resume the session; only an ACK reports the relay as alive', async () => {
  const { guilds, gateway, delivered } = harness;
  let notices = 0;
  await harness.relay('all', { onAlive: () => void (notices += 1) });
  await connected();
  const sent = gateway.counts.heartbeats;
  const before = notices;
  await until(() => gateway.counts.heartbeats > sent + 2);
  expect(notices).toBeGreaterThan(before);
  gateway.muted = true;
  const last = notices;
  await until(() => events('gateway.closed').length > 0);
  // One acknowledged heartbeat may still be in flight.
  expect(notices).toBeLessThanOrEqual(last + 1);
  gateway.muted = false;
  guilds.ask('one');
  // On a busy machine an ACK may come late once more, and the session is resumed again.
  await until(() => delivered.length === 1 && gateway.counts.resumed > 0);
  expect(harness.texts()).toEqual(['one']);
  expect(gateway.counts.identifies).toBe(1);
});

const ENDED: readonly Fault[] = [
  ['Discord ends the session (op 9, false)', (gateway) => gateway.invalidate(false)],
  [
    'the connection breaks for too long',
    (gateway) => {
      gateway.forget();
      gateway.drop();
    },
  ],
  ...[1000, 4003, 4005, 4007, 4008].map(ends),
];

test.concurrent.each(ENDED)(
  '%s: a new session starts, and the missed messages are read',
  async (_, injectFault) => {
    const texts = ['one', 'two', 'three'];
    expect(await across(injectFault)).toEqual({ texts, identifies: 2, resumed: 0, left: 998 });
  },
);

describe('a permanent fault', () => {
  test.each([4004, 4010, 4011, 4012, 4013, 4014])(
    'with close code %i stops the relay with an error; it stays alive, because a new process would connect again',
    async (code) => {
      const { clock, gateway } = harness;
      gateway.refusal = code;
      let aliveAt = -Infinity;
      await harness.relay('all', { onAlive: () => (aliveAt = clock.now()) });
      await stoppedTwice();
      expect(clock.now() - aliveAt).toBeLessThanOrEqual(60_000);
      expect(gateway.counts.identifies).toBe(1);
      expect(events('gateway.stopped')[0]).toMatchObject({ facts: { code, reason: expect.any(String) } });
    },
  );

  test('of one shard keeps those that wait for their permit from connecting', async () => {
    const { clock, guilds, gateway } = harness;
    guilds.budget.shards = 3;
    gateway.refusal = 4004;
    let aliveAt = -Infinity;
    await harness.relay('all', { onAlive: () => (aliveAt = clock.now()) });
    await stoppedTwice();
    expect(gateway.counts.identifies).toBe(1);
    expect(clock.now() - aliveAt).toBeLessThanOrEqual(60_000);
  });

  test('because of a disabled intent ends the relay for all messages after one attempt', async () => {
    harness.guilds.contentAllowed = false;
    await harness.relay('all');
    await stoppedTwice();
    expect(harness.gateway.counts.identifies).toBe(1);
    expect(harness.guilds.budget.remaining).toBe(1000);
  });

  test('is not a disabled intent when the relay needs mentions only', async () => {
    harness.guilds.contentAllowed = false;
    await harness.relay('mentions');
    await connected();
    harness.guilds.post('chatter');
    harness.guilds.ask('one');
    await until(() => harness.delivered.length === 1);
    expect(harness.texts()).toEqual(['one']);
  });

  test('is avoided: no session starts when few sessions remain today', async () => {
    harness.guilds.budget.remaining = 49;
    await harness.relay();
    await until(() => events('gateway.session-starts-low').length > 2);
    expect(harness.gateway.counts.connections).toBe(0);
    harness.guilds.budget.remaining = 1000;
    await connected();
  });

  test('is avoided: the relay waits when its own session allowance is used up', async () => {
    let refusals = 3;
    const take = async () =>
      --refusals >= 0
        ? ({ granted: false, retryAfterMs: 1 } as const)
        : ({ granted: true, waitMs: 0 } as const);
    await harness.relay('all', { sessionLimit: { take } });
    await connected();
    expect(events('gateway.identify-throttled')).toHaveLength(3);
    expect(harness.gateway.counts.identifies).toBe(1);
  });

  test('that ends every session at once does not use up the sessions of the token', async () => {
    let left = 3;
    const take = async () =>
      --left >= 0
        ? ({ granted: true, waitMs: 0 } as const)
        : ({ granted: false, retryAfterMs: 3_600_000 } as const);
    await harness.relay('all', { sessionLimit: { take } });
    await until(() => {
      harness.gateway.invalidate(false);
      return events('gateway.identify-throttled').length > 0;
    });
    expect(harness.gateway.counts.identifies).toBeLessThanOrEqual(3);
    expect(harness.gateway.tokenReset).toBe(false);
  });
});
