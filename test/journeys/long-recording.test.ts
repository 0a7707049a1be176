import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readList, readString } from '../../shared/platforms/discord/api/json-path.ts';
import { chance } from '../media/signal.ts';
import { ADA } from '../simulators/discord/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import type { UpstreamSimulator } from '../simulators/upstream/index.ts';
import { NUMBERS } from '../simulators/upstream/speech/words.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { longRecording } from './recordings.ts';
import { waitUntil } from './harness.ts';

const MINUTES = 10;
const SECONDS_EACH = 2;
const DIGITS = Array.from({ length: (MINUTES * 60) / SECONDS_EACH }, (_, n) => Math.floor(chance(7, n) * 10));
const SPEECH = '/v1/transcription_or_translation';
/** So that the transcription takes the time, not the wait for the key. */
const SPEECH_LIMIT = '6000/100';
let harness: DiscordHarness;
let content: Uint8Array;

beforeAll(async () => {
  const starting = startDiscordHarness({ variables: { SPEECH_LIMIT } });
  [harness, content] = await Promise.all([starting, longRecording(DIGITS, SECONDS_EACH)]);
  await waitUntil(() => harness.journey().system.discord.gateway?.connected === 1);
});
afterAll(() => harness.close());

/** Speech requests that returned text. */
const answered = (journal: UpstreamSimulator['journal']): number =>
  journal.filter(({ path, status }) => path === SPEECH && status === 200).length;

/** The text of a transcript, and the times (s) before it. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/\[[\d:]+\]/gu, '')
    .split(/\s+/u)
    .filter(Boolean);
const momentsOf = (text: string): number[] =>
  [...text.matchAll(/\[(\d+):(\d+)\]/gu)].map(([, m, s]) => Number(m) * 60 + Number(s));

/** When each digit starts within its time (ms): see `speakDigits`. */
const SAID_MS = 150;
/** The start times of subtitles (ms). */
const startsIn = (vtt: string): number[] =>
  [...vtt.matchAll(/^(\d+):(\d+):(\d+)\.(\d+) -->/gmu)].map(
    ([, h, m, s, ms]) => ((Number(h) * 60 + Number(m)) * 60 + Number(s)) * 1_000 + Number(ms),
  );

/** Every word once, in order, at its time. */
const WORDS = DIGITS.map((digit) => NUMBERS['english']?.[digit]);
const MOMENTS = DIGITS.map((_, n) => n * SECONDS_EACH);
/** Asks about the recording on both platforms. Resolves with the Discord channel. */
async function askPrivately(): Promise<string> {
  const dm = harness.discord().core.dm('ada');
  harness.discord().say('ada', dm, 'Sum this up.', {
    files: [{ name: 'lecture.ogg', content, contentType: 'audio/ogg' }],
  });
  const files = [{ name: 'lecture.ogg', content, mimetype: 'audio/ogg' }];
  await harness.journey().slack.say('ada', '@parley Sum this up.', { files });
  return dm;
}

/** The file of this type next to the transcript in Slack. */
async function inSlack(kind: string): Promise<string> {
  const { core } = harness.journey().slack;
  const file = await core.until(() =>
    [...core.state.files.values()].find(({ file: { name } }) => name.endsWith(kind)),
  );
  return Buffer.from(file.content, 'base64').toString();
}

async function inDiscord(channel: string): Promise<string> {
  const transcript = await harness.once(ADA, /transcript[^"]*\.txt/u, channel);
  const answer = await fetch(readString(readList(transcript.one, 'attachments')[0], 'url') ?? '');
  return answer.text();
}

/** The transcript is one card, with files that have descriptive names. */
async function expectOneCard(dm: string): Promise<void> {
  const { slack } = harness.journey();
  const withFiles = (): Message[] =>
    [...slack.core.state.messages.values()]
      .flatMap((messages) => [...messages.values()])
      .filter(({ user, files }) => user === slack.botUserId && files !== undefined);
  // The files are in the workspace before they are on the card.
  await slack.core.until(() => withFiles()[0]);
  const [card, ...others] = withFiles();
  expect(others).toEqual([]);
  expect(JSON.stringify(card?.blocks)).toContain('voice.translate');
  const names = ['txt', 'vtt', 'srt'].map((kind) => `lecture-transcript.${kind}`);
  expect(card?.files?.map((id) => slack.core.state.files.get(id)?.file.name)).toEqual(names);
  const transcripts = harness
    .visibleMessages(ADA, dm)
    .filter(({ one }) => readList(one, 'attachments').length > 0);
  expect(
    transcripts.map(({ one }) => readList(one, 'attachments').map((file) => readString(file, 'filename'))),
  ).toEqual([names]);
  expect(JSON.stringify(transcripts)).toContain('voice.translate');
}

test('recordings of ten minutes on both platforms are transcribed completely after rate limits and a killed process', async () => {
  const { upstream } = harness.journey();
  // Another client uses up the key: nothing more is transcribed before the end.
  upstream.control.addFault({ fault: { kind: 'limited', retryAfter: 1 }, path: SPEECH, skip: 8 });
  const dm = await askPrivately();
  await waitUntil(() => upstream.journal.some(({ path, status }) => path === SPEECH && status === 429));
  await harness.restart();
  for (const text of [await inSlack('.txt'), await inDiscord(dm)]) {
    expect([wordsOf(text), momentsOf(text)]).toEqual([WORDS, MOMENTS]);
  }
  await expectOneCard(dm);
  const off = startsIn(await inSlack('.vtt')).map((ms, n) => ms - SAID_MS - n * SECONDS_EACH * 1_000);
  expect(off).toHaveLength(DIGITS.length);
  expect(Math.max(...off.map((ms) => Math.abs(ms)))).toBeLessThanOrEqual(50);
  // Chunks of 30 s, since every cut finds silence there. Stored chunks are not transcribed again.
  const sent = [upstream, harness.journey().upstream].map(({ journal }) => answered(journal));
  expect(sent).toEqual([8, 2 * MINUTES * 2 - 8]);
});
