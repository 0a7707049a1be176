import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readPlan } from '../../../../shared/platforms/discord/gateway/sessions/shard-plan.ts';
import { DM, GENERAL } from './fake-guilds.ts';
import { until } from './turn-clock.ts';
import { Fleet } from './fleet.ts';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let fleet: Fleet;

beforeEach(async () => {
  fleet = await Fleet.start();
});
afterEach(() => fleet.close());

test('below a thousand guilds there is one shard, nothing is coordinated or stored, and Discord is asked for the number once', async () => {
  await fleet.process();
  await fleet.connected('0/1');
  const words = fleet.ask([GENERAL]);
  await fleet.arrived(words);
  await until(() => fleet.guilds.lookups.filter((one) => one === 'gateway').length === 2);
  expect(fleet.plan).toBeUndefined();
  expect([...fleet.checkpoints.keys()].toSorted()).toEqual(['at ', 'guilds ']);
  expect(fleet.slots).toEqual([1]);
});

describe('one process', () => {
  test('runs as many shards as Discord recommends; each message arrives once, direct messages at the first shard', async () => {
    const channels = fleet.grown(3);
    await fleet.process();
    await fleet.connected('0/3', '1/3', '2/3');
    await fleet.arrived(fleet.ask([GENERAL, ...channels]));
    expect(fleet.gateway.counts.identifies).toBe(3);
    expect(fleet.slots).toEqual([3, 3, 3]);
    expect(fleet.removed()).toEqual([]);
  });

  test('of which Discord refuses every shard for good logs that once', async () => {
    fleet.grown(3);
    await fleet.process();
    await fleet.connected('0/3', '1/3', '2/3');
    fleet.gateway.closeAll(4014);
    await until(() => fleet.events('gateway.closed').length === 3);
    await fleet.clock.pass(30_000);
    expect(fleet.events('gateway.stopped')).toHaveLength(1);
    await fleet.clock.pass(301_000);
    expect(fleet.events('gateway.stopped')).toHaveLength(2);
  });

  test('that is killed resumes all sessions, and nothing is lost', async () => {
    const channels = fleet.grown(3);
    const first = await fleet.process();
    await fleet.connected('0/3', '1/3', '2/3');
    await fleet.arrived(fleet.ask(channels));
    await until(
      () => [...fleet.checkpoints.values()].filter((text) => text.includes('"session"')).length === 3,
    );
    first.kill();
    fleet.gateway.drop();
    const words = fleet.ask(channels);
    await fleet.process();
    await fleet.arrived(words);
    expect(fleet.gateway.counts).toMatchObject({ identifies: 3, resumed: 3 });
  });

  test('is alive as long as each of its shards is', async () => {
    fleet.grown(2);
    const one = await fleet.process();
    await fleet.connected('0/2', '1/2');
    const before = one.alive;
    await until(() => one.alive > before + 2);
    fleet.gateway.muted = true;
    fleet.clock.advance(10 * 60_000);
    await until(() => fleet.events('gateway.closed').length > 0);
    const last = one.alive;
    fleet.gateway.muted = false;
    await until(() => one.alive > last);
    // A shard that resumes counts as alive before Discord has it again.
    await fleet.connected('0/2', '1/2');
    expect(fleet.gateway.shards).toEqual(['0/2', '1/2']);
  });
});

describe('when Discord recommends another number of shards', () => {
  test('a higher number starts beside the old one; nothing is lost, and no guild is erased', async () => {
    const channels = fleet.guilds.grow(2, 2);
    await fleet.process();
    await fleet.connected('0/1');
    await fleet.arrived(fleet.ask([GENERAL, ...channels]));
    fleet.guilds.budget.shards = 2;
    const words: string[] = [];
    fleet.clock.advance(HOUR_MS + 1_000);
    for (let round = 0; round < 20; round += 1) {
      words.push(...fleet.ask([GENERAL, ...channels]));
      await fleet.clock.sleep(3_000);
    }
    await fleet.connected('0/2', '1/2');
    words.push(...fleet.ask([GENERAL, ...channels]));
    await fleet.arrived(words);
    expect(fleet.gateway.counts.identifies).toBe(3);
    expect(fleet.removed()).toEqual([]);
    await until(() => !fleet.checkpoints.has('at '));
    expect(readPlan(fleet.plan?.text ?? '')).toMatchObject({ current: { number: 1, count: 2 } });
  });

  test('a process that is killed during the change continues it', async () => {
    const channels = fleet.guilds.grow(3);
    const first = await fleet.process();
    await fleet.connected('0/1');
    await fleet.arrived(fleet.ask([GENERAL, ...channels]));
    await until(() => fleet.checkpoints.get('at ')?.includes('"session"') === true);
    fleet.guilds.budget.shards = 3;
    fleet.clock.advance(HOUR_MS + 1_000);
    await until(() => fleet.plan?.text.includes('"next"') === true);
    first.kill();
    fleet.gateway.drop();
    const words = fleet.ask([GENERAL, ...channels]);
    await fleet.process();
    await fleet.connected('0/3', '1/3', '2/3');
    await fleet.arrived([...words, ...fleet.ask([GENERAL, ...channels])]);
    expect(fleet.removed()).toEqual([]);
  });

  test('a lower number applies only after a day', async () => {
    const channels = fleet.grown(2);
    await fleet.process();
    await fleet.connected('0/2', '1/2');
    fleet.guilds.budget.shards = 1;
    fleet.clock.advance(HOUR_MS + 1_000);
    await until(() => fleet.plan?.text.includes('fewerSince') === true);
    expect(fleet.gateway.shards).toEqual(['0/2', '1/2']);
    fleet.clock.advance(DAY_MS + HOUR_MS);
    await fleet.connected('0/1');
    await fleet.arrived(fleet.ask([GENERAL, ...channels]));
    expect(fleet.removed()).toEqual([]);
  });

  test('the running shards stay while too few sessions remain today', async () => {
    await fleet.process();
    await fleet.connected('0/1');
    Object.assign(fleet.guilds.budget, { shards: 4, remaining: 53 });
    fleet.clock.advance(HOUR_MS + 1_000);
    await until(() => fleet.events('gateway.session-starts-low').length > 0);
    expect(fleet.gateway.counts.identifies).toBe(1);
    Object.assign(fleet.guilds.budget, { remaining: 1_000 });
    fleet.clock.advance(HOUR_MS + 1_000);
    await fleet.connected('0/4', '1/4', '2/4', '3/4');
  });

  test('close code 4011 starts the recommended shards, which read what was missed', async () => {
    await fleet.close();
    fleet = await Fleet.start({ maxGuilds: 3 });
    const first = await fleet.process();
    await fleet.connected('0/1');
    await fleet.arrived(fleet.ask([GENERAL]));
    await until(() => fleet.checkpoints.get('at ')?.includes(DM) === true);
    first.kill();
    fleet.gateway.forget();
    fleet.gateway.drop();
    const channels = fleet.grown(2, 2);
    const words = fleet.ask([GENERAL, ...channels]);
    await fleet.process();
    await fleet.connected('0/2', '1/2');
    await fleet.arrived([...words, ...fleet.ask([GENERAL, ...channels])]);
    expect(fleet.events('gateway.stopped')).toEqual([]);
    expect(fleet.removed()).toEqual([]);
  });
});

test('a guild that removed the bot while no relay ran is erased by its shard, and no other guild is', async () => {
  const [channel = ''] = fleet.grown(2, 2);
  const one = await fleet.process();
  await fleet.connected('0/2', '1/2');
  await until(() => [...fleet.checkpoints].filter(([name]) => name.startsWith('guilds')).length === 2);
  await until(() =>
    fleet.guilds
      .guilds()
      .every(({ guildId = '' }) => JSON.stringify([...fleet.checkpoints]).includes(guildId)),
  );
  one.kill();
  fleet.gateway.forget();
  fleet.gateway.drop();
  const lostChannel = [...fleet.guilds.places].find(([, at]) => at === channel)?.[0] ?? '';
  fleet.guilds.places.delete(lostChannel);
  await fleet.process();
  await fleet.connected('0/2', '1/2');
  await until(() => fleet.removed().length > 0);
  expect(fleet.removed()).toMatchObject([{ kind: 'app-uninstalled', workspace: lostChannel }]);
});
