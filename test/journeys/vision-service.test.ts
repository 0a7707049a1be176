import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { VISION_LIMITS } from '../../shared/upstream/index.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { ADA } from '../simulators/discord/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import type { Entry } from '../simulators/upstream/journal.ts';
import { type RawServer, reply, startRawServer } from '../upstream/raw-server.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages } from './harness.ts';

const CHAT_PATH = '/v2/inference/chat/completions';
let harness: DiscordHarness;
/** Another origin of the vision service. */
let gateway: RawServer;

beforeAll(async () => {
  gateway = await startRawServer(async (socket, { method, path, headers }) => {
    const { host: _, ...others } = headers;
    const answer = await fetch(new URL(path, harness.journey().upstream.visionUrl), {
      method,
      headers: others,
    });
    const body: unknown = await answer.json();
    reply(socket, answer.status, body);
  });
  harness = await startDiscordHarness({
    variables: {
      // No model for videos of pictures: the service lists one.
      VIDEO_MODELS: [
        'text-to-image=model-a-image::0.04',
        'models=/v2/inference/models',
        'requests=/v2/inference/requests',
        `chat:model-c=${CHAT_PATH}`,
        'videos/search=/v1/videos/search',
        'videos/upload=/v1/videos/upload',
        'images/upload=/v1/images/upload',
        'clips=/v1/clips',
        `links=${gateway.url}`,
      ].join(', '),
      VIDEO_LIMIT: '600/60',
    },
    upstream: {
      mediaModels: [
        { id: 'model-a-image', operation: 'text-to-image' },
        { id: 'model-b-video', operation: 'image-to-video', price: '0.2' },
      ],
    },
  });
  harness.journey().upstream.control.change({ queueMs: 0, runMs: 200 });
});
afterAll(async () => {
  await harness.close();
  await gateway.close();
});

const content = Buffer.from(PICTURES.png, 'base64');
const submits = (): Entry[] =>
  harness.journey().upstream.journal.filter(({ path }) => path.endsWith('/image-to-video'));
const countVideos = () => harness.journey().upstream.meter.filter(({ kind }) => kind === 'video').length;

/** Chooses "Animate" in Slack, and presses the button of the card that only Ada sees. Resolves with the thread. */
async function animateInSlack(): Promise<string> {
  const { slack } = harness.journey();
  const thread = await slack.say('ada', 'Look at this.', { files: [{ name: 'sea.png', content }] });
  await slack.shortcut('ada', 'animate-form', thread);
  const isProposal = (one: Message) =>
    Number(one.ts) > Number(thread) && /Make it/u.test(JSON.stringify(one.blocks));
  const card = await slack.core.until(() =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
      (one) => one.ephemeralTo !== undefined && isProposal(one),
    ),
  );
  expect(JSON.stringify(card.blocks)).toMatch(/model-b-video.*about \$0\.2/su);
  await slack.press('ada', card.ts, 'Make it (about $0.20)');
  return thread;
}

const cardInSlack = (thread: string, words: RegExp) =>
  harness
    .journey()
    .slack.core.until(() =>
      botMessages(harness.journey().slack, thread).find(({ blocks }) =>
        words.test(JSON.stringify(blocks ?? [])),
      ),
    );

describe('models of the vision service', () => {
  test('a model that the service lists makes a video in Slack, with the price of the list', async () => {
    const before = countVideos();
    await cardInSlack(await animateInSlack(), /A video was made/u);
    expect(countVideos() - before).toBe(1);
    expect(submits().at(-1)?.path).toBe('/v2/inference/model-b-video/image-to-video');
  });

  test('a model that the service lists makes a video in Discord', async () => {
    const discord = harness.discord();
    const files = [{ name: 'sea.png', content, contentType: 'image/png' }];
    await discord.slash('ada', undefined, 'animate', { image: files[0] ?? '', prompt: 'A gull passes.' });
    const { id: thread } = await harness.once(ADA, /requested a video/u);
    const card = await harness.once(ADA, /about \$0\.2/u, thread);
    await discord.press('ada', card.id, button(card.one, 'video.make'));
    await discord.core.until(() => (countVideos() === 2 ? true : undefined));
    expect(submits().at(-1)?.path).toBe('/v2/inference/model-b-video/image-to-video');
  });

  test('a question to the model of the vision service goes to its chat completion', async () => {
    const { upstream } = harness.journey();
    await harness.discord().slash('ada', undefined, 'ask', { question: 'What is 6 * 7?', model: 'model-c' });
    const request = await harness
      .discord()
      .core.until(() => upstream.journal.find(({ path, status }) => path === CHAT_PATH && status === 200));
    expect(request.body).toMatchObject({ model: 'model-c', stream: true });
    await harness.answers(ADA, 1);
  });
});

describe('a job of the vision service', () => {
  test('is submitted once if its response is lost: the key is the same for the same event', async () => {
    const { upstream } = harness.journey();
    const [before, count] = [countVideos(), submits().length];
    upstream.control.addFault({ fault: { kind: 'cut' }, path: '/v2/inference/model-b-video', times: 1 });
    await cardInSlack(await animateInSlack(), /A video was made/u);
    const keys = submits()
      .slice(count)
      .map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/u);
    expect(countVideos() - before).toBe(1);
  });

  test('is found in the list of requests if its own address is not found', async () => {
    const { upstream } = harness.journey();
    upstream.control.addFault({
      fault: { kind: 'error', status: 404 },
      path: '/v2/inference/requests/',
      times: 1,
    });
    await cardInSlack(await animateInSlack(), /A video was made/u);
    expect(upstream.journal.some(({ path }) => path === '/v2/inference/requests')).toBe(true);
  });

  test('is made if its addresses have the other origin that is configured', async () => {
    const { upstream } = harness.journey();
    upstream.control.change({ handleOrigin: gateway.url });
    await cardInSlack(await animateInSlack(), /A video was made/u);
    upstream.control.change({ handleOrigin: undefined });
    expect(gateway.requests.map(({ headers }) => headers['x-api-key'])).toContain(upstream.apiKey);
  });

  test('fails, and sends no key, if its addresses have a foreign origin', async () => {
    const { upstream } = harness.journey();
    upstream.control.change({ handleOrigin: 'http://127.0.0.1:9' });
    const card = await cardInSlack(await animateInSlack(), /The video failed/u);
    upstream.control.change({ handleOrigin: undefined });
    expect(JSON.stringify(card.blocks)).toContain('foreign_origin');
    expect(JSON.stringify(card.blocks)).toContain('another attempt may cost again');
  });
});

/** The newest successful request to an endpoint. */
const requestTo = (path: string) =>
  harness.journey().upstream.journal.findLast((one) => one.path === path && one.status === 200);

describe('the library of the vision service', () => {
  test('is searched from Discord, and the model reads what was found', async () => {
    harness.journey().upstream.control.addVideo({ id: 'video-7', metadata: { title: 'Gulls at sunset' } });
    const question = '[[sim:tool=search_library]] Where are the gulls?';
    await harness.discord().slash('ada', undefined, 'ask', { question });
    await harness.once(ADA, /video-7/u);
    expect(requestTo('/v1/videos/search')?.body).toEqual({ query: expect.any(String) });
  });

  test('takes a picture of a thread in Slack without its metadata, and cuts clips', async () => {
    const { slack } = harness.journey();
    const files = [{ name: 'sea.png', content }];
    await slack.say('ada', '@parley [[sim:tool=store_in_library]] Keep sea.png.', { files });
    const stored = await slack.core.until(() => requestTo('/v1/images/upload'));
    expect(stored.headers).toMatchObject({ 'content-type': 'image/png' });
    expect(JSON.stringify(stored.body)).not.toContain('CANARY');
    await slack.say('ada', '@parley [[sim:tool=make_clips]] Cut the gulls out of video-7.');
    const cut = await slack.core.until(() => requestTo('/v1/clips'));
    expect(cut.body).toMatchObject({ video_id: expect.any(String) });
  });

  test('takes the newest video of a thread in Slack', async () => {
    const { slack } = harness.journey();
    const thread = await animateInSlack();
    await cardInSlack(thread, /A video was made/u);
    await slack.say('ada', '@parley [[sim:tool=store_in_library]] Keep the newest video.', { thread });
    const stored = await slack.core.until(() => requestTo('/v1/videos/upload'));
    expect(stored.headers).toMatchObject({ 'content-type': 'video/mp4' });
  });

  test('gets no request beyond the daily limit of the key: the person is told', async () => {
    const { slack } = harness.journey();
    const clips = () => harness.journey().upstream.journal.filter(({ path }) => path === '/v1/clips');
    const ask = () => slack.say('ada', '@parley [[sim:tool=make_clips]] Cut the gulls out of video-7.');
    const left = VISION_LIMITS.clips - clips().length;
    await Promise.all(Array.from({ length: left }, ask));
    await slack.core.until(() => (clips().length === VISION_LIMITS.clips ? true : undefined));
    const last = await ask();
    await slack.core.until(() =>
      botMessages(slack, last).find(({ text }) =>
        /used up\. Ask again after \w+,? \d+ \w+/u.test(text ?? ''),
      ),
    );
    expect(clips()).toHaveLength(VISION_LIMITS.clips);
    expect(clips().every(({ status }) => status === 200)).toBe(true);
  });
});
