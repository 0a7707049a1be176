import { describe, expect, test } from '@jest/globals';
import { ALERTS, apiHarness, readObject } from './api-harness.ts';

const read = (text: string) =>
  [...text.matchAll(/^event: (\S+)\ndata: (.*)$/gmu)].map(([, name, data]) => ({
    name,
    data: readObject(data ?? ''),
  }));

const nothing = async () => undefined;

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
    const requests = { create: nothing, link: nothing, find: nothing };
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
