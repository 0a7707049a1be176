import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { until, rigOf, type Rig } from './corner.ts';

jest.setTimeout(20_000);
let rig: Rig;

beforeEach(async () => {
  rig = await rigOf();
});
afterEach(() => rig.close());

const events = (name: string): unknown[] => rig.said.filter(({ event }) => event === name);
const connected = (): Promise<void> => until(() => rig.gateway.connected === 1);

/** Asks before and after something happens to the connection; both must arrive, once. */
async function across(trouble: () => void): Promise<void> {
  await rig.relay();
  await connected();
  rig.corner.ask('one');
  await until(() => rig.taken.length === 1);
  trouble();
  rig.corner.ask('two');
  await until(() => rig.taken.length === 2);
  rig.corner.ask('three');
  await until(() => rig.taken.length === 3);
  expect(rig.texts()).toEqual(['one', 'two', 'three']);
}

describe('a fault of the connection is mended by resuming: nothing is lost, and no session is spent', () => {
  afterEach(() => {
    expect(rig.gateway.counts).toMatchObject({ identifies: 1, resumed: 1 });
  });

  test('the connection breaks', () => across(() => rig.gateway.drop()));
  test('Discord asks to come back (op 7)', () => across(() => rig.gateway.reconnect()));
  test('Discord interrupts a session that can be resumed (op 9, true)', () =>
    across(() => rig.gateway.invalidate(true)));
  test.each([4000, 4001, 4002, 4009, 1011, 4999])('Discord closes with %i', (code) =>
    across(() => rig.gateway.closeAll(code)),
  );
  test('heartbeats are no longer acknowledged', async () => {
    await rig.relay();
    await connected();
    rig.gateway.muted = true;
    await until(() => events('gateway.closed').length > 0);
    rig.gateway.muted = false;
    rig.corner.ask('one');
    await until(() => rig.taken.length === 1 && rig.gateway.counts.resumed === 1);
  });
});

describe('a session that cannot be resumed: a new one, and what was missed is read', () => {
  afterEach(() => {
    expect(rig.gateway.counts).toMatchObject({ identifies: 2, resumed: 0 });
    expect(rig.corner.budget.remaining).toBe(998);
  });

  test('Discord ends it (op 9, false)', () => across(() => rig.gateway.invalidate(false)));
  test('the connection breaks for too long', () =>
    across(() => {
      rig.gateway.forget();
      rig.gateway.drop();
    }));
  test.each([1000, 4003, 4005, 4007, 4008])('Discord closes with %i', (code) =>
    across(() => {
      rig.gateway.forget();
      rig.gateway.closeAll(code);
    }),
  );
});

describe('what will not mend itself', () => {
  test.each([4004, 4010, 4011, 4012, 4013, 4014])(
    'close code %i: the relay stops, and says so',
    async (code) => {
      rig.gateway.refusal = code;
      await rig.relay();
      await until(() => events('gateway.stopped').length > 2);
      expect(rig.gateway.counts.identifies).toBe(1);
      expect(events('gateway.stopped')[0]).toMatchObject({ facts: { code, reason: expect.any(String) } });
    },
  );

  test('all messages are asked for, and the intent is not switched on: one try', async () => {
    rig.corner.contentAllowed = false;
    await rig.relay('all');
    await until(() => events('gateway.stopped').length > 2);
    expect(rig.gateway.counts.identifies).toBe(1);
    expect(rig.corner.budget.remaining).toBe(1000);
  });

  test('mentions alone need no switch', async () => {
    rig.corner.contentAllowed = false;
    await rig.relay('mentions');
    await connected();
    rig.corner.post('chatter');
    rig.corner.ask('one');
    await until(() => rig.taken.length === 1);
    expect(rig.texts()).toEqual(['one']);
  });

  test('few sessions are left today: none is begun', async () => {
    rig.corner.budget.remaining = 49;
    await rig.relay();
    await until(() => events('gateway.budget').length > 2);
    expect(rig.gateway.counts.connections).toBe(0);
    rig.corner.budget.remaining = 1000;
    await connected();
  });

  test('the allowance of our own is used up: it is waited for', async () => {
    let refusals = 3;
    const take = async () =>
      --refusals >= 0
        ? ({ granted: false, retryAfterMs: 1 } as const)
        : ({ granted: true, waitMs: 0 } as const);
    await rig.relay('all', { slots: { take } });
    await connected();
    expect(events('gateway.restless')).toHaveLength(3);
    expect(rig.gateway.counts.identifies).toBe(1);
  });

  test('a session that dies as soon as it stands, again and again, does not cost the token', async () => {
    let left = 5;
    const take = async () =>
      --left >= 0
        ? ({ granted: true, waitMs: 0 } as const)
        : ({ granted: false, retryAfterMs: 3_600_000 } as const);
    await rig.relay('all', { slots: { take } });
    await until(() => {
      rig.gateway.invalidate(false);
      return events('gateway.restless').length > 0;
    });
    expect(rig.gateway.counts.identifies).toBeLessThanOrEqual(5);
    expect(rig.gateway.tokenReset).toBe(false);
  });
});
