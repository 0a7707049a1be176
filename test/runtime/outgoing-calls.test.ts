import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import {
  createCallRecorder,
  createEmbeddedMetrics,
  type Facts,
  noteCallError,
  takeCalls,
} from '../../shared/runtime/index.ts';
import { listen } from '../../infra/local/listen.ts';

const server = createServer(({ url = '', socket }, response) => {
  if (url.includes('broken')) return void socket.destroy();
  const status = Number(/status=(\d+)/u.exec(url)?.[1] ?? 200);
  response.writeHead(status, { 'retry-after': '3' });
  response.end('a secret body');
});
let origin = '';
let lines: { readonly event: string; readonly facts: Facts | undefined }[] = [];
let time = 0;
const record = (urls: Parameters<typeof createCallRecorder>[0]) =>
  createCallRecorder(
    urls,
    (event, facts) => void lines.push({ event, facts }),
    () => (time += 10),
  );

beforeAll(async () => {
  origin = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
});
afterAll(() => void server.close());

/** The listed calls without their times. */
const callsOf = (line: (typeof lines)[number] | undefined): string[] =>
  String(line?.facts?.calls)
    .split(' ')
    .slice(1)
    .map((call) => call.replace(/@\d+\+\d+=/u, ' '));

const send = async (path: string, method = 'POST'): Promise<void> =>
  void (await (await fetch(`${origin}${path}`, { method })).text());

test('a task logs the method, the status and the wait of each request, and nothing that people or services write', async () => {
  lines = [];
  const value = await record({ slack: [`${origin}/api/`] })(async () => {
    await send('/api/chat.postMessage?text=secret');
    noteCallError('chat.postMessage', 'not_in_channel');
    await send('/api/chat.update?status=429');
    await send('/actions/T0SECRET00/123/abcSECRETdef');
    await fetch(`${origin.replace('127.0.0.1', 'localhost')}/broken-secret`).catch(() => undefined);
    return 'result';
  });
  expect(value).toBe('result');
  expect(lines.map(({ event }) => event)).toEqual(['task.requests-sent']);
  expect(callsOf(lines[0])).toEqual([
    'slack:chat.postMessage 200!not_in_channel',
    'slack:chat.update 429~3000',
    'slack:POST/actions/* 200',
    'other:GET 0',
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret/iu);
});

test('paths of Discord and the models lose ids and tokens, and many requests of a kind are added up', async () => {
  lines = [];
  const agent = new Agent();
  await record({ discord: [origin] })(async () => {
    for (let index = 0; index < 5; index += 1) await send(`/api/v10/channels/1${index}/messages/2`, 'PATCH');
    const { body } = await request(`${origin}/api/v10/webhooks/1/aw3e-token_x/messages/@original`, {
      dispatcher: agent,
    });
    await body.text();
  });
  await agent.close();
  expect(callsOf(lines[0])).toEqual([
    'discord:PATCH/channels/*/messages/* 200',
    'discord:PATCH/channels/*/messages/* 200',
    'discord:PATCH/channels/*/messages/* 200x3',
    'discord:GET/webhooks/*/messages/@original 200',
  ]);
});

test('tasks at the same time each log their own requests, also when they fail; without requests there is no line', async () => {
  lines = [];
  const recordCalls = record({ models: [origin] });
  const failing = recordCalls(async () => {
    await send('/v1/models', 'GET');
    throw new Error('broken');
  });
  await Promise.all([
    expect(failing).rejects.toThrow('broken'),
    recordCalls(() => send('/v1/chat/completions')),
    recordCalls(async () => undefined),
  ]);
  await send('/v1/models', 'GET');
  expect(lines.flatMap(callsOf).toSorted()).toEqual([
    'models:GET/models 200',
    'models:POST/chat/completions 200',
  ]);
});

test('a task with very many kinds of requests has a line of limited length', async () => {
  lines = [];
  await record({ slack: [`${origin}/api/`] })(async () => {
    for (let index = 0; index < 40; index += 1)
      await send(`/api/chat.m${String.fromCodePoint(97 + (index % 26))}x${'y'.repeat(index)}`);
  });
  const calls = callsOf(lines[0]);
  expect(calls).toHaveLength(31);
  expect(calls.at(-1)).toBe('...');
});

test('calls that another line of the task names are not logged again', async () => {
  lines = [];
  const written: string[] = [];
  const metrics = createEmbeddedMetrics(
    'Parley',
    (line) => void written.push(line),
    () => 0,
  );
  expect(takeCalls()).toBeUndefined();
  await record({ slack: [`${origin}/api/`] })(async () => {
    await send('/api/chat.startStream');
    const open = send('/api/chat.stopStream');
    metrics('answer.ended', { AnswerTime: 1 }, { calls: takeCalls() });
    await open;
  });
  expect(written[0]).toMatch(/"calls":"\d+ slack:chat\.startStream@\d+\+\d+=200"/u);
  expect(lines.flatMap(callsOf)).toEqual(['slack:chat.stopStream 200']);
});
