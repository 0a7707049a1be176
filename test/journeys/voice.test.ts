import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Message } from '../simulators/slack/index.ts';
import { coded } from '../media/encode.ts';
import * as z from 'zod/mini';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { readWav } from '../simulators/upstream/speech/wav.ts';
import { answersIn, botMessages, dataFolder, type Journey, startJourney } from './system.ts';

const folder = dataFolder();
let journey: Journey;

beforeAll(async () => {
  journey = await startJourney(folder.path);
}, 240_000);
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const RATE = 48_000;
const request = z.object({ audio_url: z.string(), sampling_rate: z.number() });

/** Digits as a Slack clip: AAC in M4A, with the names and types that Slack's apps give. */
async function clip(digits: readonly number[]) {
  const samples = speakDigits(digits, { rate: RATE });
  const content = await coded({ channels: [samples], rate: RATE }, 'aac', 'fastMp4');
  const durationMs = Math.round((samples.length / RATE) * 1_000);
  // A voice clip of Slack's own is labelled as a video.
  return {
    name: 'Audioclip von Ada.m4a',
    content,
    mimetype: 'video/mp4',
    clip: { kind: 'slack_audio' as const, durationMs },
  };
}

const shown = (message: Message | undefined): string => JSON.stringify([message?.text, message?.blocks]);

/** The card of a recording once it holds these words. */
const cardWith = (thread: string, words: string, channel?: string): Promise<Message> =>
  journey.slack.core.until(() =>
    botMessages(journey.slack, thread, channel).find((one) => shown(one).includes(`> ${words}`)),
  );

/** The sound of each request for speech, as the models got it. */
function sounds(): { seconds: number; rate: number; channels: number; claimed: unknown }[] {
  const asked = journey.upstream.journal.filter(({ path }) => path.endsWith('/transcription_or_translation'));
  return asked.map(({ body }) => {
    const { audio_url: url, sampling_rate: claimed } = request.parse(body);
    const wav = readWav(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
    if (!wav) throw new Error('no WAV was sent');
    return { seconds: wav.samples.length / wav.rate, rate: wav.rate, channels: wav.channels, claimed };
  });
}

/** The last question that a model was asked. */
const lastAsked = (): string =>
  JSON.stringify(journey.upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'))?.body);

describe('a voice message that is a question', () => {
  test('with a mention is written out under it, answered, and part of the thread; so is one in the thread', async () => {
    const { slack } = journey;
    const digits = [3, 1, 4, 1, 5];
    const thread = await slack.say('ada', '@parley Say this back.', { files: [await clip(digits)] });
    await cardWith(thread, 'three one four one five');
    const [, answer] = await answersIn(slack, thread, 2);
    expect(answer?.text).not.toBe('');
    expect(lastAsked()).toContain('Say this back.\\n\\nthree one four one five');
    expect(sounds()).toEqual([
      { seconds: expect.closeTo(0.15 + 0.35 * digits.length, 1), rate: 16_000, channels: 1, claimed: 16_000 },
    ]);

    await slack.say('ada', '', { thread, files: [await clip([9, 2, 6])] });
    await cardWith(thread, 'nine two six');
    await answersIn(slack, thread, 4);
    expect(lastAsked()).toMatch(/three one four one five.*nine two six/u);
  });

  test('in a DM is answered; what cannot be heard is told, and the question goes on', async () => {
    const { slack } = journey;
    const { id: channel } = dmOf('grace');
    const thread = await slack.say('grace', '', { channel: 'dm', files: [await clip([8, 8])] });
    await cardWith(thread, 'eight eight', channel);
    await answersIn(slack, thread, 2, channel);
    expect(lastAsked()).toContain('eight eight');

    const broken = { ...(await clip([1])), content: new TextEncoder().encode('This is not sound.') };
    const second = await slack.say('grace', 'What is 6 * 7?', { channel: 'dm', files: [broken] });
    const [told, answer] = await answersIn(slack, second, 2, channel);
    expect(shown(told)).toContain('no recording that I know');
    expect(answer?.text).toContain('42');
  });
});

function dmOf(name: string) {
  const { slack } = journey;
  const person = slack.users.find((one) => one.name === name);
  const channels = [...slack.core.state.channels.values()];
  const found = channels.find(({ kind, members }) => kind === 'im' && members.includes(person?.id ?? ''));
  if (!found) throw new Error(`${name} has no DM`);
  return found;
}
