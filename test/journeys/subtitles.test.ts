import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readList, readString } from '../../shared/platforms/discord/api/json-path.ts';
import { ADA } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages, queuesAreEmpty } from './harness.ts';
import { slackAudioClip, voiceMessage } from './recordings.ts';

/** A button under a short transcript posts it as text and subtitles. */
let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness();
});
afterAll(() => harness.close());

test('Slack: the subtitles of a short recording are uploaded once, with times', async () => {
  const { slack, system } = harness.journey();
  const thread = await slack.say('ada', '', { files: [await slackAudioClip([2, 4])] });
  await slack.shortcut('ada', 'transcribe', thread);
  const card = await slack.core.until(() =>
    botMessages(slack, thread).find(({ blocks }) => JSON.stringify(blocks ?? []).includes('two four')),
  );
  await queuesAreEmpty(system);
  const files = () =>
    [...slack.core.state.files.values()].filter(({ file }) =>
      /transcript[-\w]*\.(?:txt|vtt|srt)$/u.test(file.name),
    );
  await slack.press('ada', card.ts, 'Subtitles');
  await slack.core.until(() => (files().length === 3 ? true : undefined));
  await queuesAreEmpty(system);
  const vtt = files().find(({ file }) => file.name.endsWith('.vtt'));
  expect(Buffer.from(vtt?.content ?? '', 'base64').toString()).toMatch(
    /^WEBVTT\n\n00:00:00\.\d{3} --> 00:00:0\d\.\d{3}\ntwo four/u,
  );
  await slack.press('ada', card.ts, 'Subtitles');
  await queuesAreEmpty(system);
  expect(files()).toHaveLength(3);
});

test('Discord: the subtitles of a short recording are uploaded', async () => {
  const discord = harness.discord();
  const message = discord.say('ada', undefined, '', await voiceMessage([4, 2]));
  await discord.menu('ada', message, 'Transcribe');
  const card = await harness.once(ADA, /four two/u, message);
  await queuesAreEmpty(harness.journey().system);
  await discord.press('ada', card.id, button(card.one, 'voice.subtitles'));
  const posted = await harness.once(ADA, /transcript[-\w]*\.srt/u, message);
  const names = harness
    .visibleMessages(ADA, message)
    .flatMap(({ one }) => readList(one, 'attachments').map((file) => readString(file, 'filename')));
  expect(posted.id).not.toBe(card.id);
  expect(names).toContainEqual(expect.stringMatching(/transcript[-\w]*\.srt$/u));
});
