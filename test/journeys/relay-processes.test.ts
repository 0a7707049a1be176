import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, type RelayHarness, startRelayHarness } from './relay-harness.ts';
import { dataFolder } from './harness.ts';
const data = dataFolder();
let journey: RelayHarness;

/** The number of records of each message. */
async function recorded(ids: readonly string[]): Promise<number[]> {
  const questions = await journey.questions();
  return ids.map((id) => questions.filter((one) => one.split(' ')[1]?.includes(id)).length);
}

/** In real time: a lease expires after half a minute. */
const inRealTime = process.env['PARLEY_LONG'] === 'yes' ? describe : describe.skip;

inRealTime(
  'two processes of the deployed bundle on the local table (skipped unless PARLEY_LONG is yes)',
  () => {
    beforeAll(async () => {
      journey = await startRelayHarness(data.path, {
        variables: { DISCORD_RELAY_TASKS: '2' },
        discord: { shards: 4, maxConcurrency: 16 },
      });
      await eventually(() => journey.hasStarted(4));
    });
    afterAll(async () => {
      await journey.close();
      data.remove();
    });

    test('share the shards; after a SIGKILL of one the other takes over, and each question is stored once', async () => {
      const { discord, gateway, system } = journey;
      const ids: string[] = [];
      const ask = (): void => void ids.push(discord.core.say('ada', `@Parley question ${ids.length}`));
      expect(system.emulator.processes).toHaveLength(2);
      const before = gateway.counts.identifies;
      for (const one of system.emulator.processes) {
        ask();
        if (one.pid !== undefined) process.kill(one.pid, 'SIGKILL');
        ask();
        await eventually(async () => (await recorded(ids)).every((count) => count > 0), 60_000);
        await eventually(() => gateway.shards.length === 4, 60_000);
      }
      expect(await recorded(ids)).toEqual(ids.map(() => 1));
      expect(gateway.counts.identifies).toBe(before);
    });
  },
);
