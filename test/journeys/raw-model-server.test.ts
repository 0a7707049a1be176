import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { answerOf, DONE, event, USAGE } from '../upstream/raw-server.ts';
import { dataFolder, waitUntil } from './harness.ts';
import { RAW_KEY, RawModelServer, type Script, scriptedAsker } from './raw-model-server.ts';
import { slackAsker } from './slack-asker.ts';

// The whole bot on a model server of hand-written bytes. Each response comes in another framing of HTTP and server-sent events.
const folder = dataFolder();
const server = new RawModelServer();
let journey: Awaited<ReturnType<RawModelServer['start']>>;
const { typed } = slackAsker(() => journey);

beforeAll(async () => {
  // Ids of no family that the client knows: one alone, and one with prices.
  const pricing = { prompt: '0.001', completion: '0.01' };
  server.models = { data: [{ id: 'house/model:1' }, { id: 'house/model:2', pricing }], next: null };
  journey = await server.start(folder.path);
  await typed('/parley settings standIns house/model:2');
});
afterAll(async () => {
  await journey.close();
  folder.remove();
});

const askScripted = scriptedAsker(server, () => journey);

const FIRST = event({ role: 'assistant', content: '' });
const WORDS = event({ content: 'All is well.' });
const STOP = event({}, 'stop');
const streamOf =
  (...events: string[]): Script =>
  () => ({ events });
const error = (code: string | null, message = 'No.') => ({
  error: { message, type: 'a_new_type', code, param: null },
});

/** The logs of all functions. */
const readLogs = (): string =>
  readdirSync(join(folder.path, 'logs'))
    .map((name) => readFileSync(join(folder.path, 'logs', name), 'utf8'))
    .join('');

describe('an answer is shown', () => {
  test('of a model that no list describes, whose price is unknown', async () => {
    const { answer, facts, requests } = await askScripted(streamOf(...answerOf('All is well.')));
    expect(answer).toBe('All is well.');
    expect(requests).toMatchObject([{ status: 200, body: { model: 'house/model:1' } }]);
    expect(facts).toMatchObject({ Tokens: '7 in, 5 out, of those 2 reasoning', Cost: 'unknown' });
  });

  test.each([
    ['without a role in its first delta', [WORDS, STOP, DONE]],
    ['without an end mark', [FIRST, WORDS, STOP]],
    [
      'with fields and an object that nobody knows',
      [event({ content: 'All is well.', mood: 1 }), STOP, DONE],
    ],
  ])('%s', async (_, events) => {
    const { answer, facts } = await askScripted(streamOf(...events));
    expect(answer).toBe('All is well.');
    expect(facts).toMatchObject({ Ended: 'stop' });
  });

  test('that comes whole instead of as a stream', async () => {
    const message = { role: 'assistant', content: 'All is well.' };
    const json = { id: 'c-1', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE };
    const { answer, facts } = await askScripted(() => ({ json }));
    expect(answer).toBe('All is well.');
    expect(facts).toMatchObject({ Ended: 'stop', Tokens: '7 in, 5 out, of those 2 reasoning' });
  });

  test('that ends for an unknown reason, which `why` names', async () => {
    const { answer, facts } = await askScripted(streamOf(WORDS, event({}, 'moderated'), DONE));
    expect(answer).toContain('All is well.');
    expect(facts).toMatchObject({ Ended: 'moderated' });
  });
});

describe('reasoning and usage are read', () => {
  test('from `reasoning`', async () => {
    const events = [event({ reasoning: 'Let me see. '.repeat(40) }), WORDS, STOP, DONE];
    const { answer } = await askScripted(streamOf(...events));
    const { slack } = journey;
    expect(answer).toBe('All is well.');
    expect(JSON.stringify(slack.calls.slice(-60))).toMatch(/[Tt]hought|[Rr]eason/u);
  });

  test.each([
    ['on the last chunk with a choice', [WORDS, event({}, 'stop', { usage: USAGE }), DONE]],
    [
      'on each chunk, of which the last counts',
      [
        event({ content: 'All is ' }, null, { usage: { prompt_tokens: 7, completion_tokens: 1 } }),
        event({ content: 'well.' }, null, { usage: { prompt_tokens: 7, completion_tokens: 3 } }),
        event({}, 'stop', { usage: USAGE }),
        DONE,
      ],
    ],
    [
      'with the reasoning tokens in the details',
      [
        WORDS,
        event({}, 'stop', {
          usage: {
            prompt_tokens: 7,
            completion_tokens: 5,
            completion_tokens_details: { reasoning_tokens: 2 },
          },
        }),
        DONE,
      ],
    ],
  ])('%s', async (_, events) => {
    const { facts } = await askScripted(streamOf(...events));
    expect(facts).toMatchObject({ Tokens: '7 in, 5 out, of those 2 reasoning' });
  });

  test('or estimated where the server reports none', async () => {
    const { answer, facts } = await askScripted(streamOf(WORDS, STOP, DONE));
    expect(answer).toBe('All is well.');
    expect(facts['Tokens']).toMatch(/estimated/u);
    expect(readLogs()).toMatch(/"event":"answer\.ended"[^\n]*"isUsageEstimated":true/u);
  });

  test('and the version of the weights is logged', async () => {
    const end = event({}, 'stop', { usage: USAGE, metadata: { weight_version: 'weights-77' } });
    await askScripted(streamOf(WORDS, end, DONE));
    await waitUntil(() => readLogs().includes('weights-77'));
    expect(readLogs()).toMatch(/"event":"answer\.ended"[^\n]*"weightVersion":"weights-77"/u);
  });
});

describe('a failure', () => {
  test('400 is sent once, to no other model; code and field may be null', async () => {
    const { answer, facts, requests } = await askScripted(() => ({ status: 400, json: error(null) }));
    expect(requests).toMatchObject([{ status: 400, body: { model: 'house/model:1' } }]);
    expect(answer).toContain('did not accept this question');
    expect(facts).toMatchObject({ Failure: 'HTTP 400' });
  });

  test('with the key in its message shows the key nowhere', async () => {
    const { answer, why } = await askScripted(() => ({
      status: 400,
      json: error(RAW_KEY, `The key ${RAW_KEY} may not do this.`),
    }));
    const logs = readLogs();
    expect(logs).toContain('"status":400');
    expect([answer, why, logs].filter((text) => text.includes(RAW_KEY))).toEqual([]);
  });

  test.each([
    ['a header', { headers: { 'x-request-id': 'req_7' }, json: error(null) }],
    ['the body', { json: { ...error(null), request_id: 'req_7' } }],
  ])('500 has its id in %s, and `why` shows it', async (_, response) => {
    const { answer, facts } = await askScripted(() => ({ status: 500, ...response }));
    expect(answer).toContain('internal error');
    expect(facts).toMatchObject({ Failure: 'HTTP 500', Request: 'req_7' });
  });

  test.each([
    [503, error(null)],
    [429, error('rate_limit_exceeded')],
  ])(
    '%d with Retry-After is sent again after this time, with the same key and model',
    async (status, json) => {
      const { answer, requests } = await askScripted((nth) =>
        nth === 1 ? { status, headers: { 'retry-after': '1' }, json } : { events: answerOf('All is well.') },
      );
      expect(answer).toBe('All is well.');
      expect(requests).toMatchObject([
        { status, body: { model: 'house/model:1' } },
        { status: 200, body: { model: 'house/model:1' } },
      ]);
      const [first, second] = requests;
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    },
  );

  test('of a model at capacity sends the question to the stand-in at once, whatever the type of the error', async () => {
    const { answer, facts, requests } = await askScripted((nth) =>
      nth === 1 ? { status: 429, json: error('model_at_capacity') } : { events: answerOf('All is well.') },
    );
    expect(answer).toContain('All is well.');
    expect(requests).toMatchObject([
      { status: 429, body: { model: 'house/model:1' } },
      { status: 200, body: { model: 'house/model:2' } },
    ]);
    expect(facts).toMatchObject({ Model: 'model-a' });
  });
});

describe('another model', () => {
  beforeAll(async () => {
    await typed('/parley model house/model:2');
  });

  test('with prices has a cost, also under another name in the response; reasoning tokens count once', async () => {
    const { facts } = await askScripted(streamOf(...answerOf('All is well.')));
    // 7 * 0.001 + 5 * 0.01, of which 2 tokens are reasoning.
    expect(facts['Cost']).toMatch(/0[.,]057/u);
  });

  test('that the server does not know (404) is reported, and the next question reads the list again', async () => {
    const before = server.lists;
    await askScripted(streamOf(...answerOf('All is well.')));
    expect(server.lists - before).toBe(0);
    const { answer, requests } = await askScripted(() => ({ status: 404, json: error('model_not_found') }));
    expect(answer).toContain('does not exist');
    expect(requests).toHaveLength(1);
    await askScripted(streamOf(...answerOf('All is well.')));
    expect(server.lists - before).toBe(1);
  });
});
