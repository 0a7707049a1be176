import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listAt, textAt } from '../../shared/platforms/discord/json.ts';
import { chance } from '../media/signal.ts';
import { ADA } from '../simulators/discord/index.ts';
import type { UpstreamSimulator } from '../simulators/upstream/index.ts';
import { NUMBERS } from '../simulators/upstream/speech/words.ts';
import { type DiscordWorld, startDiscordWorld } from './discord-world.ts';
import { lecture } from './spoken.ts';
import { happens } from './system.ts';

const MINUTES = 20;
const SECONDS_EACH = 2;
const DIGITS = Array.from({ length: (MINUTES * 60) / SECONDS_EACH }, (_, n) => Math.floor(chance(7, n) * 10));
let world: DiscordWorld;
let content: Uint8Array;

beforeAll(async () => {
  [world, content] = await Promise.all([startDiscordWorld(), lecture(DIGITS, SECONDS_EACH)]);
}, 240_000);
afterAll(() => world.close());

/** Requests for speech that were answered. */
const heard = ({ journal }: UpstreamSimulator): number =>
  journal.filter(({ path, status }) => path.endsWith('/transcription_or_translation') && status === 200)
    .length;

/** Kills everything once some of it was heard, and long before all of it was. Resolves with how much was. */
async function killed(before: number): Promise<number> {
  const { upstream } = world.journey();
  await happens(() => heard(upstream) - before >= 8);
  await world.restart();
  return heard(upstream) - before;
}

/** The words of a transcript, and the moments (s) that stand before them. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/\[[\d:]+\]/gu, '')
    .split(/\s+/u)
    .filter(Boolean);
const momentsOf = (text: string): number[] =>
  [...text.matchAll(/\[(\d+):(\d+)\]/gu)].map(([, m, s]) => Number(m) * 60 + Number(s));

/** When each digit begins within its time, in ms: see `speakDigits`. */
const SAID_MS = 150;
/** The moments (ms) at which subtitles begin. */
const startsIn = (vtt: string): number[] =>
  [...vtt.matchAll(/^(\d+):(\d+):(\d+)\.(\d+) -->/gmu)].map(
    ([, h, m, s, ms]) => ((Number(h) * 60 + Number(m)) * 60 + Number(s)) * 1_000 + Number(ms),
  );

/** Every word once, in order, at its time. */
const WORDS = DIGITS.map((digit) => NUMBERS['english']?.[digit]);
const MOMENTS = DIGITS.map((_, n) => n * SECONDS_EACH);
/** What was heard before is not heard again, but for what was on its way. */
const MOST_REQUESTS = Math.ceil((MINUTES * 60) / 20) + 3;

describe('a recording of 20 minutes that is killed in the middle is finished', () => {
  test('in Slack', async () => {
    const files = [{ name: 'lecture.ogg', content, mimetype: 'audio/ogg' }];
    await world.journey().slack.say('ada', '@parley Sum this up.', { files });
    const before = await killed(0);
    const { slack, upstream } = world.journey();
    const file = await slack.core.until(() =>
      [...slack.core.state.files.values()].find(({ file: { name } }) => name.endsWith('.txt')),
    );
    const text = Buffer.from(file.content, 'base64').toString();
    expect([wordsOf(text), momentsOf(text)]).toEqual([WORDS, MOMENTS]);
    expect(before + heard(upstream)).toBeLessThanOrEqual(MOST_REQUESTS);

    const subtitles = await slack.core.until(() =>
      [...slack.core.state.files.values()].find(({ file: { name } }) => name.endsWith('.vtt')),
    );
    const off = startsIn(Buffer.from(subtitles.content, 'base64').toString()).map(
      (ms, n) => ms - SAID_MS - n * SECONDS_EACH * 1_000,
    );
    expect(off).toHaveLength(DIGITS.length);
    expect(Math.max(...off.map((ms) => Math.abs(ms)))).toBeLessThanOrEqual(50);
  }, 240_000);

  test('in Discord', async () => {
    const already = heard(world.journey().upstream);
    const dm = world.discord().core.dm('ada');
    const file = { name: 'lecture.ogg', content, contentType: 'audio/ogg' };
    world.discord().say('ada', dm, 'Sum this up.', { files: [file] });
    const before = await killed(already);
    const shown = await world.once(ADA, /transcript[^"]*\.txt/u, dm);
    const answer = await fetch(textAt(listAt(shown.one, 'attachments')[0], 'url') ?? '');
    const text = await answer.text();
    expect([wordsOf(text), momentsOf(text)]).toEqual([WORDS, MOMENTS]);
    expect(before + heard(world.journey().upstream)).toBeLessThanOrEqual(MOST_REQUESTS);
  }, 240_000);
});
