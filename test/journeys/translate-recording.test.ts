import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADA, GRACE } from '../simulators/discord/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages, queuesAreEmpty } from './harness.ts';
import { slackAudioClip, voiceMessage } from './recordings.ts';

/** Each mode of the speech service is reachable without the buttons of a transcript: from the menu of a message, and by command in any language. */
let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness();
});
afterAll(() => harness.close());

const choose = async (action: string, thread: string): Promise<void> => {
  const { slack } = harness.journey();
  await slack.shortcut('ada', 'more-actions', thread);
  await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
  await slack.submit('ada', { action });
};

test('Slack: “More actions” translates a recording for the person, and posts the spoken translation', async () => {
  const { slack, system } = harness.journey();
  const thread = await slack.say('ada', '', { files: [await slackAudioClip([2, 4])] });
  const read = (words: RegExp) =>
    slack.core.until(() =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find((one) =>
        words.test(JSON.stringify([one.text, one.blocks])),
      ),
    );
  await slack.command('ada', '/parley voice language fr');
  await read(/You read recordings in: French/u);
  // Without a transcript, both languages are shown to all.
  await choose('translate', thread);
  await read(/two four.*deux quatre/su);
  await queuesAreEmpty(system);
  await choose('translate', thread);
  const mine = await slack.core.until(() =>
    botMessages(slack, thread).find(
      ({ ephemeralTo, blocks }) =>
        ephemeralTo !== undefined && JSON.stringify(blocks).includes('deux quatre'),
    ),
  );
  expect(mine.ephemeralTo).toBe(slack.users.find(({ name }) => name === 'ada')?.id);
  await choose('speak', thread);
  await slack.core.until(() => botMessages(slack, thread).find(({ files }) => files !== undefined));
});

test('Discord: the menu translates a recording for the person, and posts the spoken translation', async () => {
  const discord = harness.discord();
  const message = discord.say('ada', undefined, '', await voiceMessage([4, 2]));
  await discord.menu('ada', message, 'Transcribe');
  await harness.once(ADA, /four two/u, message);
  await queuesAreEmpty(harness.journey().system);
  await discord.slash('grace', undefined, 'voice', { do: 'language', language: 'fr' });
  await harness.once(GRACE, /You read recordings in: French/u);
  await discord.menu('grace', message, 'Translate recording');
  const french = await harness.once(GRACE, /quatre deux/u);
  expect(harness.visibleMessages(ADA).map(({ id }) => id)).not.toContain(french.id);
  await discord.menu('grace', message, 'Speak translation');
  await harness.once(ADA, /waveform/u, message);
});

/** Who sees a message of Slack that contains these words. */
const readInSlack = (words: RegExp) => {
  const { slack } = harness.journey();
  return slack.core.until(() =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find((one) =>
      words.test(JSON.stringify([one.text, one.blocks])),
    ),
  );
};

test('Slack: `voice` transcribes, translates into any language and speaks the latest recording, by command and by button', async () => {
  const { slack, system } = harness.journey();
  const thread = await slack.say('ada', '', { files: [await slackAudioClip([6, 3])] });
  await slack.say('ada', 'A message without a recording.');
  await slack.command('ada', '/parley voice transcribe');
  const card = await readInSlack(/six three/u);
  expect(card.ephemeralTo).toBeUndefined();
  await queuesAreEmpty(system);
  await slack.command('ada', '/parley voice translate Spanish');
  const spanish = await readInSlack(/seis tres/u);
  expect(spanish.ephemeralTo).toBe(slack.users.find(({ name }) => name === 'ada')?.id);
  const uploads = () => botMessages(slack, thread).filter(({ files }) => files !== undefined);
  await slack.command('ada', '/parley voice speak es');
  await slack.core.until(() => (uploads().length === 1 ? true : undefined));
  await queuesAreEmpty(system);
  // By button, with a language that nobody has asked for yet: the latest recording is not the one that the bot spoke.
  await slack.command('ada', '/parley voice');
  const policy = await readInSlack(/transcribed on request/u);
  const block = (policy.blocks ?? []).findIndex((one) => JSON.stringify(one).includes('translate to…'));
  await slack.press('ada', policy.ts, { block, element: 0, value: 'de' });
  expect((await readInSlack(/sechs drei/u)).ephemeralTo).toBe(spanish.ephemeralTo);
});

test('Discord: `/voice` speaks an untranscribed recording of the channel after its transcript, and translates it', async () => {
  const discord = harness.discord();
  const message = discord.say('ada', undefined, '', await voiceMessage([8, 1]));
  await discord.slash('grace', undefined, 'voice', { do: 'speak', language: 'de' });
  await harness.once(ADA, /eight one.*acht eins/su, message);
  await harness.once(ADA, /waveform/u, message);
  await queuesAreEmpty(harness.journey().system);
  await discord.slash('grace', undefined, 'voice', { do: 'translate', language: 'es' });
  const spanish = await harness.once(GRACE, /ocho uno/u);
  expect(harness.visibleMessages(ADA).map(({ id }) => id)).not.toContain(spanish.id);
});
