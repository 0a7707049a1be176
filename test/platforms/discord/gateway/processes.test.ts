import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readPlan } from '../../../../shared/platforms/discord/gateway/sessions/shard-plan.ts';
import { GENERAL } from './fake-guilds.ts';
import { until } from './turn-clock.ts';
import { Fleet, type Process } from './fleet.ts';
const HOUR_MS = 3_600_000;
const LEASE_MS = 30_000;
let fleet: Fleet;

beforeEach(async () => {
  // Longer than a busy machine may delay a connection, which would start a new session.
  fleet = await Fleet.start({ heartbeatMs: 10_000 });
});
afterEach(() => fleet.close());

const split = async (...names: readonly string[]): Promise<Process[]> => {
  const processes = [];
  for (const name of names) processes.push(await fleet.process(name));
  return processes;
};
const owners = (): string[] => {
  const plan = readPlan(fleet.plan?.text ?? '');
  return Object.values(plan?.leases ?? {})
    .map(({ owner }) => owner)
    .toSorted();
};
const all = ['0/4', '1/4', '2/4', '3/4'];
const saved = (): Promise<void> =>
  until(() => [...fleet.checkpoints.values()].filter((text) => text.includes('"session"')).length === 4);

describe('several processes', () => {
  test('share the shards evenly; each message is forwarded by one of them', async () => {
    const channels = fleet.grown(4);
    await split('a', 'b');
    await fleet.connected(...all);
    await until(() => owners().join() === 'a,a,b,b');
    await fleet.arrived(fleet.ask([GENERAL, ...channels]));
    expect(fleet.gateway.counts.identifies).toBe(4);
  });

  test('hand shards with their sessions to a process that starts later', async () => {
    const channels = fleet.grown(4);
    await split('a');
    await fleet.connected(...all);
    await saved();
    const words = fleet.ask(channels);
    await split('b');
    words.push(...fleet.ask(channels));
    await until(() => owners().join() === 'a,a,b,b' && fleet.gateway.counts.resumed >= 2);
    await fleet.arrived([...words, ...fleet.ask(channels)]);
    expect(fleet.gateway.counts.identifies).toBe(4);
  });

  test('take over the sessions of a process that ends in a deployment', async () => {
    const channels = fleet.grown(4);
    const [a] = await split('a', 'b');
    await fleet.connected(...all);
    await saved();
    await until(() => owners().join() === 'a,a,b,b');
    const words = fleet.ask(channels);
    await a?.relay.stop();
    a?.kill();
    words.push(...fleet.ask(channels));
    await until(() => owners().join() === 'b,b,b,b');
    await fleet.connected(...all);
    await fleet.arrived([...words, ...fleet.ask(channels)]);
    expect(fleet.gateway.counts.identifies).toBe(4);
  });

  test('take over the shards of a process that died after its lease, and receive the missed messages', async () => {
    const channels = fleet.grown(4);
    const [a] = await split('a', 'b');
    await fleet.connected(...all);
    await saved();
    await until(() => owners().join() === 'a,a,b,b');
    a?.kill();
    const words = fleet.ask(channels);
    fleet.clock.advance(LEASE_MS + 1_000);
    await until(() => owners().join() === 'b,b,b,b' && fleet.gateway.counts.resumed >= 2);
    await fleet.arrived([...words, ...fleet.ask(channels)]);
    expect(fleet.gateway.counts.identifies).toBe(4);
  });

  test('never run one shard twice: a process that cannot renew its lease ends its shards before', async () => {
    const channels = fleet.grown(4);
    const [a] = await split('a', 'b');
    await fleet.connected(...all);
    await saved();
    await until(() => owners().join() === 'a,a,b,b');
    if (a) a.cutOff = true;
    await until(() => fleet.gateway.shards.length === 2);
    expect(owners()).toEqual(['a', 'a', 'b', 'b']);
    const words = fleet.ask(channels);
    await until(() => owners().join() === 'b,b,b,b');
    await fleet.connected(...all);
    await fleet.arrived([...words, ...fleet.ask(channels)]);
    if (a) a.cutOff = false;
    await until(() => owners().join() === 'a,a,b,b');
    await fleet.connected(...all);
    expect(fleet.gateway.counts.identifies).toBe(4);
  });

  test('switch to a new number of shards together', async () => {
    const channels = fleet.grown(4);
    await split('a', 'b');
    await fleet.connected(...all);
    const words = fleet.ask(channels);
    fleet.guilds.budget.shards = 6;
    fleet.clock.advance(HOUR_MS + 1_000);
    await fleet.connected('0/6', '1/6', '2/6', '3/6', '4/6', '5/6');
    await until(() => owners().join() === 'a,a,a,b,b,b');
    await fleet.arrived([...words, ...fleet.ask(channels)]);
    expect(fleet.gateway.counts.identifies).toBe(10);
    expect(fleet.removed()).toEqual([]);
  });
});
