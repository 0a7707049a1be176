import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA } from '../simulators/discord/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages, queuesAreEmpty, waitUntil } from './harness.ts';
import { slackAudioClip, slackVideoClip, voiceMessage } from './recordings.ts';
import { slackAsker } from './slack-asker.ts';

/** Recordings and films go to models that list them as input, beside their transcript. */
let harness: DiscordHarness;
const { typed, sentFor } = slackAsker(() => harness.journey());

beforeAll(async () => {
  harness = await startDiscordHarness();
  await waitUntil(() => harness.journey().system.discord.gateway?.connected === 1);
});
afterAll(() => harness.close());

type File = Awaited<ReturnType<typeof slackAudioClip>> | Awaited<ReturnType<typeof slackVideoClip>>;

/** Asks about a file in the simulated Slack. Returns the content of the last message of each request, and the thread. */
async function askAbout(file: File, question: string) {
  const { slack, system } = harness.journey();
  let thread = '';
  const sent = await sentFor(async () => {
    thread = await slack.say('ada', `@parley ${question}`, { files: [file] });
    await slack.core.until(() =>
      botMessages(slack, thread).find(({ blocks }) =>
        JSON.stringify(blocks ?? []).includes('parley:regenerate'),
      ),
    );
    await queuesAreEmpty(system);
  });
  return { sent, thread, request: JSON.stringify(sent[0]?.body) };
}

describe('in Slack', () => {
  test('a film goes to a model that lists video, with its transcript, and again when the answer is regenerated', async () => {
    const { slack, system } = harness.journey();
    await typed('/parley settings model vendor-flash-3');
    const { sent, thread, request } = await askAbout(await slackVideoClip([3, 1]), 'What happens here?');
    expect(sent).toMatchObject([{ status: 200 }]);
    expect(request).toMatch(/"type":"video_url","video_url":\{"url":"data:video\/mp4;base64,/u);
    expect(request).toContain('What happens here?\\n\\nthree one');
    const answer = botMessages(slack, thread).find(({ blocks }) =>
      JSON.stringify(blocks ?? []).includes('parley:regenerate'),
    );
    const again = await sentFor(async () => {
      await slack.press('ada', answer?.ts ?? '', 'Regenerate');
      await queuesAreEmpty(system);
    });
    expect(JSON.stringify(again[0]?.body)).toContain('"type":"video_url"');
    expect(again).toMatchObject([{ status: 200 }]);
  });

  test('a voice clip goes to a model that lists audio', async () => {
    await typed('/parley settings model model-e');
    const { sent, request } = await askAbout(await slackAudioClip([2, 4]), 'Who speaks?');
    expect(sent).toMatchObject([{ status: 200 }]);
    expect(request).toMatch(/"type":"audio_url","audio_url":\{"url":"data:audio\/mp4;base64,/u);
    expect(request).toContain('two four');
  });

  test('another model gets the transcript only', async () => {
    await typed('/parley settings model model-c');
    const { sent, request } = await askAbout(await slackVideoClip([6, 8]), 'And here?');
    expect(sent).toMatchObject([{ status: 200 }]);
    expect(request).not.toMatch(/video_url|audio_url|input_audio/u);
    expect(request).toContain('six eight');
    await typed('/parley settings model reset');
  });
});

test('in Discord a recording goes to a model that lists audio', async () => {
  await harness.discord().slash('ada', undefined, 'settings', { name: 'model', value: 'model-e' });
  await harness.once(ADA, /model-e/u);
  // Another process may have cached the settings for 30 s.
  await harness.restart();
  await waitUntil(() => harness.journey().system.discord.gateway?.connected === 1);
  const discord = harness.discord();
  const chats = () =>
    harness.journey().upstream.journal.filter(({ path }) => path.endsWith('/chat/completions'));
  const { files } = await voiceMessage([8, 8]);
  discord.say('ada', undefined, '@Parley Who speaks?', { files });
  await waitUntil(() => chats().length > 0);
  await queuesAreEmpty(harness.journey().system);
  expect(chats().at(-1)).toMatchObject({ status: 200 });
  expect(JSON.stringify(chats().at(-1)?.body)).toMatch(
    /eight eight.*"type":"audio_url".*data:audio\/ogg;base64,/u,
  );
});
