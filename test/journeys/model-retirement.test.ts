import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADA } from '../simulators/discord/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { queuesAreEmpty } from './harness.ts';
import { slackAsker } from './slack-asker.ts';

/** Administrators learn in advance that a model will be switched off. */
let harness: DiscordHarness;
const { typed } = slackAsker(() => harness.journey());

beforeAll(async () => {
  harness = await startDiscordHarness();
  const { control } = harness.journey().upstream;
  control.setModel('model-a', { shutdown: { date: '2027-03-01', replacement: 'model-c' } });
});
afterAll(() => harness.close());

const ANNOUNCEMENT = /`?model-a`? will be switched off on 1 March 2027.*model-c/u;

test('Slack: an administrator gets one direct message, and the card of `model` says it', async () => {
  const { slack, system } = harness.journey();
  await typed('/parley settings model model-a for:workspace');
  const direct = () =>
    [...slack.core.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => [...(slack.core.state.messages.get(id)?.values() ?? [])])
      .filter((message) => ANNOUNCEMENT.test(JSON.stringify([message.text, message.blocks])));
  expect(await typed('/parley model')).toMatch(ANNOUNCEMENT);
  await slack.core.until(() => direct()[0]);
  await typed('/parley help');
  await queuesAreEmpty(system);
  expect(direct()).toHaveLength(1);
});

test('Discord: an administrator gets one direct message, and the card of `model` says it', async () => {
  const discord = harness.discord();
  await discord.slash('ada', undefined, 'settings', { name: 'model', value: 'model-a', for: 'workspace' });
  await harness.once(ADA, /model-a/u);
  await discord.slash('ada', undefined, 'model', {});
  await harness.once(ADA, ANNOUNCEMENT);
  const dm = discord.core.dm('ada');
  const direct = () =>
    harness.visibleMessages(ADA, dm).filter(({ one }) => ANNOUNCEMENT.test(JSON.stringify(one)));
  await discord.core.until(() => direct()[0]);
  await discord.slash('ada', undefined, 'help', {});
  await queuesAreEmpty(harness.journey().system);
  expect(direct()).toHaveLength(1);
});
