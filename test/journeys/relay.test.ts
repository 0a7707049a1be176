import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RelayHarness, eventually, startRelayHarness } from './relay-harness.ts';
import { GUILD } from '../simulators/discord/index.ts';
import { dataFolder } from './harness.ts';
const data = dataFolder();
let journey: RelayHarness;

beforeAll(async () => {
  journey = await startRelayHarness(data.path);
  await eventually(() => journey.hasStarted());
});
afterAll(async () => {
  await journey.close();
  data.remove();
});

const turnsOf = async (ids: readonly string[]): Promise<number[]> => {
  const questions = await journey.questions();
  return ids.map((id) => questions.filter((one) => one.split(' ')[1]?.includes(id)).length);
};

test('each message is stored once when the relay is killed with SIGKILL several times', async () => {
  const { discord, gateway } = journey;
  const ids: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (let i = 0; i < 3; i += 1) ids.push(discord.core.say('ada', `@Parley question ${round} ${i}`));
    journey.kill();
    await eventually(() => gateway.connected === 0);
    for (let i = 3; i < 6; i += 1) ids.push(discord.core.say('ada', `@Parley question ${round} ${i}`));
    await eventually(() => gateway.connected === 1);
  }
  await eventually(async () => (await turnsOf(ids)).every((count) => count > 0));
  expect(await turnsOf(ids)).toEqual(ids.map(() => 1));
  expect(gateway.counts.identifies).toBeLessThanOrEqual(2);
});

test('the relay uses much less than 512 MB for ten thousand messages, and delivers the one question among them', async () => {
  const { discord } = journey;
  for (let i = 0; i < 10_000; i += 1) discord.core.say('grace', `chatter ${i} ${'words '.repeat(20)}`);
  const id = discord.core.say('ada', '@Parley the last question');
  await eventually(async () => (await turnsOf([id]))[0] === 1);
  // 94 to 108 MB; a leak per message would soon exceed this.
  expect(journey.peak()).toBeLessThan(160);
});

test('the data of a person who removes the app is erased by the event at /discord/events', async () => {
  const { discord } = journey;
  const dm = discord.core.dm('ada');
  const id = discord.core.say('ada', 'My cat is called Tom.', { channel: dm });
  await eventually(() => JSON.stringify(discord.core.messages(dm)).includes('press.regenerate'));
  expect(await turnsOf([id])).toEqual([1]);
  expect(await discord.deauthorize('ada')).toBe(true);
  // Spent amounts stay, as numbers: an erasure must not refill a budget.
  const words = async () => (await journey.questions()).filter((one) => !one.startsWith('ACCOUNT#'));
  await eventually(async () => !(await words()).some((one) => one.includes(dm)));
});

test('the data of a guild that removed the bot while the relay was down is erased when the relay starts', async () => {
  const { discord, gateway } = journey;
  const id = discord.core.say('grace', '@Parley What is 1 + 1?');
  await eventually(async () => (await turnsOf([id]))[0] === 1);
  expect((await journey.questions()).some((one) => one.includes(GUILD))).toBe(true);
  const guild = discord.core.state.guilds.get(GUILD);
  if (!guild) throw new Error('there is no guild');
  journey.kill();
  discord.core.context.state.guilds.set(GUILD, { ...guild, installed: false });
  gateway.forget();
  await eventually(async () =>
    (await journey.questions()).every((one) => one.startsWith('ACCOUNT#') || !one.includes(GUILD)),
  );
});
