import { describe, expect, test } from '@jest/globals';
import { channelId, messageId, workspaceId } from '../../shared/domain/index.ts';
import { followAnswer } from '../../shared/integrations/index.ts';
import type { LiveAnswer } from '../../shared/storage/index.ts';
import { TestTime } from '../upstream/time.ts';
import { ALERTS, apiHarness, readObject } from './api-harness.ts';

const read = (text: string) =>
  [...text.matchAll(/^event: (\S+)\ndata: (.*)$/gmu)].map(([, name, data]) => ({
    name,
    data: readObject(data ?? ''),
  }));

const nothing = async () => undefined;

const isDone = async (): Promise<boolean> => true;

describe('a stream that ends early', () => {
  test('because nothing can be read names the request, to read on', async () => {
    const at = await apiHarness();
    const answers = { read: () => Promise.reject(new Error('the table is down')) };
    const { text } = await at.send({ body: { question: 'What?', stream: true } }, { answers });
    const id = expect.stringMatching(/^ask_/u);
    expect(read(text)).toMatchObject([
      { name: 'answer.created', data: { id, status: 'queued' } },
      { name: 'answer.pending', data: { id, status: 'queued' } },
    ]);
  });

  test('because the request was erased says so', async () => {
    const at = await apiHarness();
    const requests = { create: nothing, attach: isDone, link: isDone, find: nothing };
    const body = { question: 'What?', channel: ALERTS, stream: true };
    const { text } = await at.send({ body }, { requests });
    expect(read(text).at(-1)).toMatchObject({ name: 'answer.failed', data: { error: { code: 'erased' } } });
  });
});

test('what a crash left out is asked, whenever it is sent again with its idempotency key', async () => {
  const at = await apiHarness();
  const { requests } = at.deps;
  const crashing = {
    create: (...of: Parameters<typeof requests.create>) => requests.create(...of),
    find: (...of: Parameters<typeof requests.find>) => requests.find(...of),
    attach: (...of: Parameters<typeof requests.attach>) => requests.attach(...of),
    link: () => Promise.reject(new Error('the process ended')),
  };
  const lost = { send: () => Promise.reject(new Error('the queue is down')) };
  for (const [body, changed] of [
    [{ question: 'What?' }, { requests: crashing }],
    [{ question: 'Healthy?', channel: ALERTS }, { queue: lost }],
  ] as const) {
    const key = { 'idempotency-key': body.question.slice(0, 4) };
    expect((await at.send({ body, headers: key }, changed)).status).toBe(503);
    at.time.advance(600_000);
    expect(await at.ask(body, key)).toMatchObject({
      status: 200,
      answer: { status: 'completed', answer: 'Forty-two.' },
    });
    at.time.advance(600_000);
    expect(await at.ask(body, key)).toMatchObject({
      status: 200,
      answer: { status: 'completed', answer: 'Forty-two.' },
    });
    expect(at.queue.sent).toEqual([]);
  }
  expect(at.prompts).toHaveLength(2);
});

test.each([
  ['GET', undefined],
  ['POST', { question: 'What?', wait: 0 }],
])(
  '%s of an own question whose turn is missing says that it was erased, not that it never existed',
  async (method, body) => {
    const at = await apiHarness();
    const key = { 'idempotency-key': 'once' };
    const { answer } = await at.ask({ question: 'What?' }, key);
    const path = method === 'GET' ? `/v1/ask/${String(answer['id'])}` : '/v1/ask';
    const answers = { read: async () => ({ kind: 'gone' }) as const };
    const { status, text } = await at.send({ method, path, body, headers: key }, { answers });
    expect([status, readObject(text)]).toMatchObject([
      200,
      {
        id: answer['id'],
        status: 'failed',
        error: { code: 'erased', message: 'The question was deleted or erased.' },
      },
    ]);
  },
);

test('a question that a worker posted before it died is not reported as erased: the queue delivers its task again', async () => {
  const time = new TestTime();
  const posted = messageId('1.1');
  const request = {
    id: 'ask_1',
    integration: '0123456789abcdef',
    bodyHash: '',
    at: time.now(),
    channel: channelId('C1'),
    turn: { root: posted, message: posted },
  };
  const place = { platform: 'slack', workspace: workspaceId('T1') } as const;
  /** What a program is told that reads for 30 s, if the turn is recorded after so many reads, and erased after so many. */
  const follow = async (
    recordedAfter: number,
    erasedAfter = Infinity,
  ): Promise<readonly (LiveAnswer['kind'] | undefined)[]> => {
    let reads = 0;
    const readAnswer = async (): Promise<LiveAnswer> => {
      reads += 1;
      return reads > recordedAfter && reads <= erasedAfter
        ? { kind: 'pending', text: undefined }
        : { kind: 'gone' };
    };
    const context = { requests: { find: async () => request }, answers: { read: readAnswer }, time };
    const kinds = new Set<LiveAnswer['kind'] | undefined>();
    for await (const state of followAnswer(place, request, time.now() + 30_000, context))
      kinds.add(state?.answer?.kind);
    return [...kinds];
  };
  expect(await follow(10)).toEqual([undefined, 'pending']);
  // A turn that was there was erased.
  expect(await follow(10, 20)).toEqual([undefined, 'pending', 'gone']);
  time.advance(900_000);
  expect(await follow(10)).toEqual(['gone']);
});
