import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { createVideoCallback } from '../../functions/composition/video/video-callback.ts';
import type { JobHandle } from '../../shared/upstream/index.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { pick } from '../simulators/upstream/test-client.ts';
import { parseJson } from '../simulators/upstream/json.ts';
import { reply } from '../upstream/raw-server.ts';
import { KEY, withServer } from '../upstream/raw-server-harness.ts';
import { VideoHarness, videoRequest } from '../video/video-harness.ts';
import { row } from './rows.ts';
import { service } from './service.ts';

const { sim, send, client, last } = service();

const BOAT = { model: 'model-a-video', input: { prompt: 'a boat' } } as const;
const DONE_MS = 10_000;

/** What the client makes of a status body. */
async function stateOf(body: object): Promise<string> {
  return withServer(
    (socket) => reply(socket, 200, body),
    async ({ server }) => {
      const handle: JobHandle = {
        requestId: 'r-1',
        status: 'IN_QUEUE',
        statusUrl: `${server.url}/s`,
        responseUrl: `${server.url}/r`,
        cancelUrl: `${server.url}/c`,
      };
      return (await client({ visionUrl: server.url }).vision.status(handle)).state;
    },
  );
}

test(row('VIS-024'), async () => {
  const words = {
    IN_QUEUE: 'queued',
    in_queue: 'queued',
    PENDING: 'queued',
    IN_PROGRESS: 'running',
    Processing: 'running',
    COMPLETED: 'done',
    succeeded: 'done',
    FAILED: 'failed',
    ERROR: 'failed',
    CANCELED: 'cancelled',
    CANCELLED: 'cancelled',
    DREAMING: 'unknown',
  };
  for (const [status, state] of Object.entries(words))
    expect([status, await stateOf({ status })]).toEqual([status, state]);
  expect(await stateOf({ status: 'COMPLETED', error: 'too dark' })).toBe('failed');
  expect(await stateOf({ status: 'COMPLETED', error: null })).toBe('done');
  const { vision } = client();
  const handle = await vision.submit(BOAT);
  const states: string[] = [];
  for (const ms of [0, 2_000, 8_000]) {
    sim().control.advance(ms);
    states.push((await vision.status(handle)).status);
  }
  expect(states).toEqual(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']);
});

test(row('VIS-025'), async () => {
  const { vision } = client();
  const handle = await vision.submit(BOAT);
  await vision.status(handle);
  await vision.cancel(handle);
  await vision.result(handle);
  const { pathname: at } = new URL(handle.responseUrl);
  expect(
    sim()
      .journal.slice(1)
      .map(({ method, path, status }) => [method, path, status]),
  ).toEqual([
    ['GET', `${at}/status`, 200],
    ['POST', `${at}/cancel`, 200],
    ['GET', at, 200],
  ]);
  const paths: string[] = [];
  await withServer(
    (socket, { path }) => {
      paths.push(path);
      reply(socket, 200, { status: 'IN_QUEUE' });
    },
    async ({ server }) => {
      const odd = { ...handle, statusUrl: `${server.url}/odd/status?x=1`, cancelUrl: `${server.url}/stop` };
      await client({ visionUrl: server.url }).vision.status(odd);
      await client({ visionUrl: server.url }).vision.cancel(odd);
    },
  );
  expect(paths).toEqual(['/odd/status?x=1', '/stop']);
});

test(row('VIS-026'), async () => {
  const { vision } = client();
  const handle = await vision.submit(BOAT);
  await withServer(
    (socket) => reply(socket, 200, { status: 'COMPLETED' }),
    async ({ server }) => {
      sim().control.change({ handleOrigin: server.url });
      await expect(vision.submit(BOAT)).rejects.toMatchObject({ code: 'foreign_origin' });
      const foreign = { ...handle, statusUrl: `${server.url}/s`, responseUrl: `${server.url}/r` };
      await expect(vision.status(foreign)).rejects.toMatchObject({ code: 'foreign_origin' });
      await expect(vision.result(foreign)).rejects.toMatchObject({ code: 'foreign_origin' });
      expect(server.requests).toHaveLength(0);
      const trusting = client({ jobOrigins: [server.url], apiKey: () => Promise.resolve(KEY) });
      expect((await trusting.vision.status(foreign)).state).toBe('done');
      expect(server.requests[0]?.headers['x-api-key']).toBe(KEY);
    },
  );
});

test(row('VIS-027'), async () => {
  const { vision } = client();
  const handle = await vision.submit(BOAT);
  expect(await vision.list()).toMatchObject([{ requestId: handle.requestId, state: 'queued' }]);
  expect(await vision.status(handle)).toMatchObject({ state: 'queued', queuePosition: 0 });
  expect(await vision.result(handle)).toMatchObject({ state: 'queued' });
  expect(await vision.cancel(handle)).toMatchObject({ state: 'cancelled' });
  expect((await vision.models())[0]).toMatchObject({ id: 'model-a-video', operation: 'image-to-video' });
  const body = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] };
  const chat = await send({ path: '/v2/inference/chat/completions', body });
  expect(pick(chat.json, 'object')).toBe('chat.completion');
  const upstream = client({ visionChat: { model: 'model-c', path: '/v2/inference/chat/completions' } });
  const messages = [{ role: 'user', content: '1 + 1' }] as const;
  expect((await upstream.chat.complete({ model: 'model-c', messages })).text).toBe('1 + 1 = **2**');
  expect(last().path).toBe('/v2/inference/chat/completions');
});

test(row('VIS-028'), async () => {
  const harness = new VideoHarness();
  Object.assign(harness.vision, client().vision);
  await harness.process((context) => startJob(videoRequest(), context));
  await harness.serve();
  const { jobs } = harness.context().videos;
  const queue = { send: harness.send };
  const handle = createVideoCallback({ jobs, queue, now: () => harness.now, log: () => undefined });
  const submission = sim().journal.find(({ path }) => path.endsWith('/image-to-video'));
  const address = pick(submission?.body, 'webhook_url');
  const [job = '', secret = ''] = new URL(String(address)).pathname.split('/').slice(-2);
  const countRequests = () => sim().journal.filter(({ path }) => path.endsWith('/status')).length;
  // Deliveries that lie, name another job, or say nothing: each asks the service, which says that the job waits.
  const bodies = ['{"status":"OK"}', '{"request_id":"r-1","status":"ERROR"}', '{"id":"r-1"}', 'hello', ''];
  for (const [index, body] of bodies.entries()) {
    harness.now += 15_000;
    const event = { pathParameters: { job, secret }, headers: {}, body, isBase64Encoded: false };
    expect((await handle(event)).statusCode).toBe(202);
    await harness.serve();
    expect([countRequests(), (await harness.jobs())[0]?.state]).toEqual([index + 1, 'queued']);
  }
});

test(row('VIS-030'), async () => {
  const { vision } = client();
  const handle = await vision.submit({ ...BOAT, webhookUrl: 'http://127.0.0.1:1/nobody' });
  sim().control.advance(DONE_MS);
  await sim().deliverWebhooks();
  expect(sim().control.deliveries()[0]?.answers).toEqual([0]);
  expect((await vision.status(handle)).state).toBe('done');
  const { value } = await vision.result(handle);
  expect(pick(value, 'output', 'video', 'url')).toMatch(/^http/u);
});

test(row('VIS-031'), async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(bodies.length === 1 ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address();
  const webhookUrl = `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}/hook`;
  try {
    for (const webhook of ['fal', 'status', 'empty'] as const) {
      sim().control.change({ webhook });
      const { requestId } = await client().vision.submit({ ...BOAT, webhookUrl });
      const before = bodies.length;
      await sim().deliverWebhooks();
      expect(bodies).toHaveLength(before);
      sim().control.advance(DONE_MS);
      await sim().deliverWebhooks();
      sim().control.advance(1_000);
      await sim().deliverWebhooks();
      const webhookBodies = bodies.slice(before);
      expect(webhookBodies).toHaveLength(webhook === 'fal' ? 2 : 1);
      expect(pick(parseJson(webhookBodies.at(-1) ?? '')?.value, 'request_id')).toBe(
        webhook === 'empty' ? undefined : requestId,
      );
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  expect(
    sim()
      .control.deliveries()
      .map(({ answers }) => answers),
  ).toEqual([[500, 204], [204], [204]]);
});
