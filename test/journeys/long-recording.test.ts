import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chance } from '../media/signal.ts';
import { opusFile, opusPackets } from '../media/encode.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { NUMBERS } from '../simulators/upstream/speech/words.ts';
import { botMessages, dataFolder, type Journey, startJourney } from './system.ts';

const folder = dataFolder();
let journey: Journey;

beforeAll(async () => {
  journey = await startJourney(folder.path);
}, 240_000);
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const MINUTES = 20;
const SECONDS_EACH = 2;
const RATE = 48_000;

/** Numbers that are said one every two seconds; each is encoded once. */
async function recording(digits: readonly number[]): Promise<Uint8Array> {
  const said = Array.from({ length: 10 }, (_, digit) => {
    const samples = new Float32Array(SECONDS_EACH * RATE);
    samples.set(speakDigits([digit], { rate: RATE }));
    return opusPackets({ channels: [samples], rate: RATE });
  });
  return opusFile(
    digits.flatMap((digit) => said[digit] ?? []),
    'ogg',
  );
}

const speech = () =>
  journey.upstream.journal.filter(
    ({ path, status }) => path.endsWith('/transcription_or_translation') && status === 200,
  );

test('a recording of 20 minutes that is killed in the middle is finished: every word once, in order, at its time', async () => {
  const digits = Array.from({ length: (MINUTES * 60) / SECONDS_EACH }, (_, n) =>
    Math.floor(chance(7, n) * 10),
  );
  const content = await recording(digits);
  const files = [{ name: 'lecture.ogg', content, mimetype: 'audio/ogg' }];
  const thread = await journey.slack.say('ada', '@parley Sum this up.', { files });
  // Not before some of it was heard, and long before all of it was.
  await journey.slack.core.until(() => (speech().length >= 8 ? true : undefined));
  await journey.system.close();
  const before = speech().length;

  journey = await startJourney(folder.path);
  const { slack } = journey;
  const file = await slack.core.until(() =>
    [...slack.core.state.files.values()].find(({ file: { name } }) => name.endsWith('.txt')),
  );
  const text = Buffer.from(file.content, 'base64').toString();
  const words = text
    .replaceAll(/\[[\d:]+\]/gu, '')
    .split(/\s+/u)
    .filter(Boolean);
  expect(words).toEqual(digits.map((digit) => NUMBERS['english']?.[digit]));
  const moments = [...text.matchAll(/\[(\d+):(\d+)\]/gu)].map(([, m, s]) => Number(m) * 60 + Number(s));
  expect(moments).toEqual(digits.map((_, n) => n * SECONDS_EACH));
  // What was heard before is not heard again, but for what was on its way.
  expect(before + speech().length).toBeLessThanOrEqual(Math.ceil((MINUTES * 60) / 20) + 3);
  await slack.core.until(() =>
    botMessages(slack, thread).some((one) => JSON.stringify(one.blocks)?.includes('0:00')) ? true : undefined,
  );
}, 240_000);
