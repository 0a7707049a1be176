import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readId, readList, readString } from '../../shared/platforms/discord/api/json-path.ts';
import { CHROMIUM, NEEDS_CHROMIUM } from '../browser/chromium.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { ADA, type DiscordSimulator } from '../simulators/discord/index.ts';
import { CLIP, clipBytes } from '../simulators/upstream/vision/clip.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { playVideo } from './play-video.ts';
import type { JourneyHarness } from './harness.ts';

let harness: DiscordHarness;
let journey: JourneyHarness;
let discord: DiscordSimulator;

beforeAll(async () => {
  harness = await startDiscordHarness({ variables: { VIDEO_MODELS: 'model-a-video:image_url:0.35' } });
  journey = harness.journey();
  discord = harness.discord();
  journey.upstream.control.change({ queueMs: 0, runMs: 300 });
});
afterAll(() => harness.close());

const picture = { name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64'), contentType: 'image/png' };

/** The latest message of the bot with this text that Ada sees in a channel, once there is one. */
const untilSeen = (channel: string | undefined, words: string) =>
  discord.core.until(() =>
    discord.core
      .messages(channel, ADA)
      .filter((one) => readId(one, 'author', 'id') === discord.applicationId)
      .findLast((one) => JSON.stringify(one).includes(words)),
  );

const countVideos = () => journey.upstream.meter.filter(({ kind }) => kind === 'video').length;

/** The video in a thread, as people download it. */
async function filmIn(thread: string): Promise<Buffer> {
  const posted = await untilSeen(thread, '"filename":"video-');
  const [file] = readList(posted, 'attachments');
  return Buffer.from(await (await fetch(readString(file, 'url') ?? '')).arrayBuffer());
}

test('a message command and a modal lead to one video in the thread; a button requests it again', async () => {
  const message = discord.say('ada', undefined, 'Look at this.', { files: [picture] });
  const outcome = await discord.menu('ada', message, 'Animate');
  const form = await discord.core.until(() => discord.core.state.interactions.get(outcome.id)?.shown);
  expect(JSON.stringify(form)).toMatch(/about \$0\.35.*gently to life/su);
  expect(countVideos()).toBe(0);
  await discord.submit('ada', outcome.id, { prompt: 'Waves roll in.' });
  expect((await filmIn(message)).equals(clipBytes())).toBe(true);
  const card = await untilSeen(message, 'A video was made');
  expect(JSON.stringify(card)).toContain('about $0.35');
  expect(countVideos()).toBe(1);
  const submitted = journey.upstream.journal.find(({ path }) => path.endsWith('/image-to-video'));
  expect(JSON.stringify(submitted?.body)).not.toContain(discord.apiUrl);

  const again = /"custom_id":"(video\.again[^"]*)"/u.exec(JSON.stringify(card))?.[1] ?? '';
  const cardId = readId(card, 'id') ?? '';
  await Promise.all([discord.press('ada', cardId, again), discord.press('ada', cardId, again)]);
  await discord.core.until(() => {
    const films = discord.core
      .messages(message, ADA)
      .filter((one) => JSON.stringify(one).includes('"filename":"video-'));
    return films.length === 2 ? films : undefined;
  });
  expect(countVideos()).toBe(2);
});

test('/animate shows the price of a video before it is made; the list of the person’s videos contains it', async () => {
  const before = countVideos();
  await discord.slash('ada', undefined, 'animate', { image: picture, prompt: 'A gull passes.' });
  const thread = readId(await untilSeen(undefined, 'requested a video'), 'id') ?? '';
  const card = await untilSeen(thread, 'about $0.35');
  expect(countVideos()).toBe(before);
  await discord.press('ada', readId(card, 'id') ?? '', button(card, 'video.make'));
  expect((await filmIn(thread)).equals(clipBytes())).toBe(true);
  await discord.slash('ada', undefined, 'animate', { prompt: 'list' });
  const list = JSON.stringify(await untilSeen(undefined, 'Your videos'));
  expect(list).toContain('A gull passes.');
  expect(list).toContain('Waves roll in.');
});

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  test('the video plays to its end', async () => {
    const message = discord.say('ada', undefined, 'And this.', { files: [picture] });
    const outcome = await discord.menu('ada', message, 'Animate');
    await discord.core.until(() => discord.core.state.interactions.get(outcome.id)?.shown);
    await discord.submit('ada', outcome.id, { prompt: 'Clouds.' });
    const { width, height, duration } = CLIP;
    expect(await playVideo(await filmIn(message))).toEqual({
      readyState: 4,
      duration,
      width,
      height,
      at: duration,
      error: null,
    });
  });
});
