import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { clipBytes } from '../simulators/upstream/vision/clip.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { answerOf, DONE, event } from '../upstream/raw-server.ts';
import { botMessages, dataFolder, queuesAreEmpty, waitUntil } from './harness.ts';
import { RAW_KEY, RawModelServer, scriptedAsker } from './raw-model-server.ts';
import type { RawResponse } from '../conformance/framings.ts';

// Videos on a vision service of hand-written bytes.
const SUBMIT = '/v2/inference/film-1/image-to-video';
const folder = dataFolder();
const server = new RawModelServer();
let journey: Awaited<ReturnType<RawModelServer['start']>>;
const askScripted = scriptedAsker(server, () => journey);

beforeAll(async () => {
  server.models = { data: [{ id: 'house/model:1', supported_features: ['tools'] }] };
  journey = await server.start(folder.path, {
    UPSTREAM_VISION_URL: 'server',
    VIDEO_MODELS: 'film-1:image_url:0.35',
    VIDEO_LIMIT: '600/60',
  });
});
afterAll(async () => {
  await journey.close();
  folder.remove();
});

/** Has the model look up a stored video, to whose request the server responds so. Resolves with what the model is told. */
async function lookedUp(id: string, response: RawResponse) {
  const path = `/v1/videos/${encodeURIComponent(id)}`;
  server.respond(path, () => response);
  const call = {
    index: 0,
    id: 'call-1',
    type: 'function',
    function: { name: 'look_up_video', arguments: JSON.stringify({ id }) },
  };
  const { answer, requests } = await askScripted((nth) => ({
    events:
      nth === 1 ? [event({ tool_calls: [call] }), event({}, 'tool_calls'), DONE] : answerOf('I have looked.'),
  }));
  const toolResult = requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool');
  const { method, headers, body } = server.requests.findLast((one) => one.path === path) ?? {};
  return { answer, told: String(toolResult?.['content']), request: { method, headers, body } };
}

describe('a stored video', () => {
  test('is requested by its encoded id with both credentials; each field may be missing, null or unknown', async () => {
    const url = 'https://storage.example/v-1?signature=x';
    for (const more of [
      {},
      { metadata: null, indexing_status: null, indexing_type: null, group_id: null },
      { metadata: {}, indexing_status: 'dreaming', indexing_type: 'by_smell', group_id: 'g-1' },
      {
        metadata: { title: 'Sea', width: null, duration: 5 },
        indexing_status: 'indexed',
        indexing_type: 'qa',
      },
      {
        metadata: { width: 640, avg_fps: 24.5, thumbnails: 'https://x.example/t.vtt' },
        indexing_status: 'failed',
      },
      { indexing_status: 'indexing', indexing_type: 'reels' },
      { indexing_status: 'pending', indexing_type: 'fast_search' },
      { indexing_status: 'pending', indexing_type: 'qa_and_search' },
    ]) {
      const {
        answer,
        told: toolResult,
        request,
      } = await lookedUp('v 1/ä', {
        json: { video_id: 'v 1/ä', url, ...more },
      });
      expect(answer).toBe('I have looked.');
      expect(toolResult).toContain('v 1/ä');
      for (const word of [more.indexing_status, more.indexing_type]) expect(toolResult).toContain(word ?? '');
      expect(request).toMatchObject({
        method: 'GET',
        headers: { authorization: `Bearer ${RAW_KEY}`, 'x-api-key': RAW_KEY },
        body: {},
      });
    }
    expect(server.requests.filter(({ path }) => path.includes('signature'))).toEqual([]);
  });

  test.each([
    ['without a URL', { json: { video_id: 'v-2' } }],
    ['with an error object', { status: 404, json: { error: { message: 'No.', code: 'no_video' } } }],
    ['with an error text', { status: 500, json: { error: 'No.' } }],
    ['with details', { status: 422, json: { detail: [{ loc: ['path'], msg: 'No.', type: 'x' }] } }],
    ['with a page', { status: 502, text: '<h1>Bad gateway</h1>' }],
  ])('%s is not shown, and the answer comes all the same', async (_, response) => {
    const { answer, told: toolResult } = await lookedUp('v-2', response);
    expect(answer).toBe('I have looked.');
    expect(toolResult).not.toContain('https://');
  });
});

const submission = v.object({
  input: v.looseObject({ prompt: v.string() }),
  webhook_url: v.pipe(v.string(), v.url(), v.maxLength(2_083)),
});

/** Makes a video of a picture, as somebody does by the modal. */
async function animate(): Promise<string> {
  const { slack } = journey;
  const files = [{ name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64') }];
  const thread = await slack.say('ada', 'Look.', { files });
  await slack.shortcut('ada', 'animate-form', thread);
  await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
  await slack.submit('ada', { prompt: 'The sea moves.' });
  return thread;
}

const handle = (id: string, origin: string, state = '/jobs') => ({
  request_id: id,
  status: 'LINED_UP',
  status_url: `${origin}${state}/${id}/status`,
  response_url: `${origin}${state}/${id}/result`,
  cancel_url: `${origin}${state}/${id}/cancel`,
});

const callsTo = (path: string) => server.journal.filter((one) => one.path === path);

/** Calls the bot back as the service does, once the job that was submitted last is done. Resolves with the thread's texts. */
async function finish(id: string, thread: string, submissions: number): Promise<string> {
  const { slack, system } = journey;
  await waitUntil(() => callsTo(SUBMIT).length >= submissions);
  const { webhook_url: callback } = v.parse(submission, callsTo(SUBMIT).at(-1)?.body);
  await queuesAreEmpty(system);
  const url = `${server.url}/files/${id}.mp4`;
  server.files.set(new URL(url).pathname, clipBytes());
  server.respond(`/jobs/${id}/status`, () => ({ json: { status: 'COMPLETED' } }));
  server.respond(`/jobs/${id}/result`, () => ({ json: { status: 'COMPLETED', video: { url } } }));
  const body = JSON.stringify({ request_id: id, status: 'OK' });
  await fetch(callback, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await queuesAreEmpty(system);
  return botMessages(slack, thread)
    .map(({ text, files = [] }) => `${text} (${files.length} files)`)
    .join('\n');
}

describe('a video', () => {
  test.each([200, 201, 202])(
    'whose handle comes with status %d is delivered after its callback',
    async (status) => {
      const id = `job-${status}`;
      const before = callsTo(SUBMIT).length;
      server.respond(SUBMIT, () => ({ status, json: handle(id, server.url) }));
      server.respond(`/jobs/${id}/status`, () => ({ json: { status: 'STIRRING', queue_position: 3 } }));
      expect(await finish(id, await animate(), before + 1)).toMatch(/film-1.*\(1 files\)/u);
      const { headers } = server.requests.findLast(({ path }) => path === SUBMIT) ?? {};
      expect(headers).toMatchObject({ 'x-api-key': RAW_KEY, 'idempotency-key': expect.any(String) });
      // The address of a finished video is presigned: no key is sent to it.
      const download = server.requests.findLast(({ path }) => path === `/files/${id}.mp4`);
      expect(download?.headers).not.toHaveProperty('x-api-key');
      expect(download?.headers).not.toHaveProperty('authorization');
    },
  );

  test('is submitted again after a 429 without a type and a field, as late as Retry-After says', async () => {
    const before = callsTo(SUBMIT).length;
    server.respond(SUBMIT, (nth) =>
      nth === 1
        ? {
            status: 429,
            headers: {
              'retry-after': '1',
              'x-ratelimit-requests-remaining': '0',
              'x-ratelimit-requests-reset': '1',
            },
            json: { error: { code: 'rate_limit_exceeded', message: 'No.' } },
          }
        : { status: 202, json: handle('job-429', server.url) },
    );
    server.respond('/jobs/job-429/status', () => ({ json: { status: 'IN_PROGRESS' } }));
    expect(await finish('job-429', await animate(), before + 2)).toContain('(1 files)');
    const [first, second] = callsTo(SUBMIT).slice(before);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test('is not held up by limit headers of a request that was accepted', async () => {
    const before = callsTo(SUBMIT).length;
    const headers = {
      'retry-after': '0',
      'x-ratelimit-requests-limit': '600',
      'x-ratelimit-requests-remaining': '599',
      'x-ratelimit-requests-reset': '86400',
    };
    for (const [nth, id] of ['job-a', 'job-b'].entries()) {
      server.respond(SUBMIT, () => ({ status: 202, headers, json: handle(id, server.url) }));
      server.respond(`/jobs/${id}/status`, () => ({ json: { status: 'IN_PROGRESS' } }));
      expect(await finish(id, await animate(), before + nth + 1)).toContain('(1 files)');
    }
  });

  test('whose handle leads to a foreign server is not followed, and gets no key', async () => {
    const other = new RawModelServer();
    const { url, close } = await other.listen();
    const before = callsTo(SUBMIT).length;
    server.respond(SUBMIT, () => ({ status: 202, json: handle('job-x', url) }));
    const thread = await animate();
    await waitUntil(() => callsTo(SUBMIT).length > before);
    await queuesAreEmpty(journey.system);
    expect(other.requests).toEqual([]);
    const [message] = botMessages(journey.slack, thread);
    expect(JSON.stringify(message?.blocks)).toContain('foreign_origin');
    await close();
  });
});
