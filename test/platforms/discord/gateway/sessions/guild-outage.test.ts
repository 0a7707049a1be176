import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { GENERAL, GUILD } from '../fake-guilds.ts';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness.ts';
import { until } from '../turn-clock.ts';

let harness: GatewayHarness;

/** A relay in a session before which the question `missed` was asked. */
beforeEach(async () => {
  harness = await startGatewayHarness();
  await harness.relay();
  await until(() => harness.hasStarted);
  const one = harness.guilds.ask('one');
  await until(() => harness.checkpoint.text?.includes(`"seen":"${one}"`) === true);
  harness.kill();
  harness.gateway.forget();
  harness.guilds.ask('missed');
  await harness.relay();
  await until(() => harness.texts().includes('missed'));
  harness.guilds.ask('live');
  await until(() => harness.texts().includes('live'));
});
afterEach(() => harness.close());

const reads = () => harness.guilds.lookups.filter((route) => route === `messages ${GENERAL}`).length;

/** The guild is available again. Resolves when what came before the next question is handled. */
async function comeBack(): Promise<void> {
  const [guild] = harness.guilds.guilds();
  harness.guilds.tell('GUILD_CREATE', guild?.d ?? {});
  harness.guilds.ask('afterwards');
  await until(() => harness.texts().includes('afterwards'));
}

/** A question of which the gateway sends nothing. */
function askUnseen(words: string): void {
  const listeners = [...harness.guilds.onDispatch];
  harness.guilds.onDispatch.clear();
  harness.guilds.ask(words);
  for (const listener of listeners) harness.guilds.onDispatch.add(listener);
}

test('a guild that Discord sends again in a session is not read from its start again', async () => {
  const { repeats } = harness;
  expect(reads()).toBe(1);
  await comeBack();
  expect(reads()).toBe(1);
  expect(harness.repeats).toBe(repeats);
});

test('after an outage of a guild, only what was written since shortly before it is read', async () => {
  const { repeats } = harness;
  harness.clock.advance(3_600_000);
  harness.guilds.ask('just before');
  await until(() => harness.texts().includes('just before'));
  harness.guilds.tell('GUILD_DELETE', { id: GUILD, unavailable: true });
  askUnseen('unseen');
  await comeBack();
  expect(harness.texts()).toEqual(['one', 'missed', 'live', 'just before', 'unseen', 'afterwards']);
  expect(reads()).toBe(2);
  // The question before it is read again, and the one that came back with it; the hour before is not read.
  expect(harness.repeats).toBeLessThanOrEqual(repeats + 2);
});

test('an outage of which the relay learns late begins with the last message that it saw', async () => {
  askUnseen('unseen');
  harness.clock.advance(3_600_000);
  harness.guilds.tell('GUILD_DELETE', { id: GUILD, unavailable: true });
  await comeBack();
  expect(harness.texts()).toContain('unseen');
});

test('a guild that is unavailable at the start of a session is read when it is available', async () => {
  const { gateway } = harness;
  gateway.outages.add(GUILD);
  gateway.forget();
  gateway.drop();
  harness.guilds.ask('during the outage');
  await until(() => gateway.counts.identifies === 3);
  gateway.endOutage(GUILD);
  await until(() => harness.texts().includes('during the outage'));
  expect(reads()).toBe(2);
});

test('a new session of the same process reads what was missed before it', async () => {
  harness.gateway.forget();
  harness.gateway.drop();
  askUnseen('unseen');
  await until(() => harness.texts().includes('unseen'));
  expect(reads()).toBe(2);
});
