import { describe, expect, test } from '@jest/globals';
import { integrationUser, messageId } from '../../shared/domain/index.ts';
import { Erasure } from '../../shared/storage/index.ts';
import { ERASE_BY_SCAN } from '../fakes/tables.ts';
import { CannotPostError } from '../../shared/platforms/ports/index.ts';
import { endEvent } from '../chat/completion-harness.ts';
import { ALERTS, apiHarness, DEPLOY_BOT, KEY, PLACE, readObject } from './api-harness.ts';

const completed = (answer: string) => ({
  object: 'answer',
  status: 'completed',
  answer,
  finish_reason: 'stop',
});

test('a question is answered; the conversation goes on with the history; GET reads the same answer', async () => {
  const at = await apiHarness();
  const first = await at.ask({ question: 'What is the answer?' });
  expect(first).toMatchObject({
    status: 200,
    answer: { ...completed('Forty-two.'), model: 'model-a', channel: null, error: null },
  });
  const { id, conversation } = first.answer;
  const second = await at.ask({ question: 'Why?', conversation });
  expect(second.answer).toMatchObject({ ...completed('Forty-two.'), conversation });
  expect(at.prompts).toHaveLength(2);
  const read = await at.send({ method: 'GET', path: `/v1/ask/${String(id)}` });
  expect(readObject(read.text)).toEqual(first.answer);
});

test('a stream sends the words as they come, and then the whole answer', async () => {
  const at = await apiHarness([
    { type: 'text', text: 'Forty' },
    { type: 'text', text: '-two.' },
    endEvent('Forty-two.'),
  ]);
  const { status, headers, text } = await at.send({ body: { question: 'What?', stream: true } });
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const events = [...text.matchAll(/^event: (\S+)\ndata: (.*)$/gmu)].map(([, name, data]) => ({
    name,
    data: readObject(data ?? ''),
  }));
  expect(events.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['answer.created', 'answer.delta', 'answer.completed']),
  );
  const words = events.flatMap(({ name, data }) => (name === 'answer.delta' ? [String(data['delta'])] : []));
  expect(words.join('')).toBe('Forty-two.');
  expect(at.written).toContain('Forty');
  expect(events.at(-1)?.data).toMatchObject(completed('Forty-two.'));
  // Once the answer is stored, the words so far are not.
  expect(JSON.stringify(at.items())).not.toContain('"live"');
});

describe('the same idempotency key', () => {
  const headers = { 'idempotency-key': 'deploy-17' };

  test('with the same body is one question', async () => {
    const at = await apiHarness();
    const first = await at.ask({ question: 'What?' }, headers);
    expect(await at.ask({ question: 'What?' }, headers)).toEqual(first);
    expect(at.prompts).toHaveLength(1);
  });

  test('with another body is refused, and after a day it is free again', async () => {
    const at = await apiHarness();
    await at.ask({ question: 'What?' }, headers);
    expect(await at.ask({ question: 'Why?' }, headers)).toMatchObject({
      status: 422,
      answer: { error: { code: 'idempotency_key_reused' } },
    });
    at.time.advance(86_401_000);
    expect((await at.ask({ question: 'Why?' }, headers)).status).toBe(200);
  });

  test('is refused where it cannot be told what it is', async () => {
    const at = await apiHarness();
    expect(await at.ask({ question: 'What?' }, { 'Idempotency-Key': 'a,b' })).toMatchObject({
      status: 400,
      answer: { error: { code: 'invalid_request' } },
    });
    expect(at.prompts).toEqual([]);
  });

  test('sends again what a crash left out', async () => {
    const at = await apiHarness();
    const lost = { send: () => Promise.reject(new Error('the queue is down')) };
    const failed = await at.send({ body: { question: 'What?' }, headers }, { queue: lost });
    expect([failed.status, failed.headers['retry-after']]).toEqual([503, '5']);
    expect(await at.ask({ question: 'What?' }, headers)).toMatchObject({
      status: 200,
      answer: completed('Forty-two.'),
    });
  });
});

test('a question in a channel is posted there under the name of the integration, and answered in its thread', async () => {
  const at = await apiHarness();
  const { answer } = await at.ask({ question: 'Is the deploy healthy?', channel: ALERTS });
  const { id } = answer;
  expect(answer).toMatchObject({
    ...completed('Forty-two.'),
    conversation: null,
    channel: ALERTS,
    thread: `begun-${String(id)}`,
  });
  const card = JSON.stringify(at.messenger.cards.get(String(id)));
  expect(card).toContain('Is the deploy healthy?');
  expect(card).toContain('deploy-bot asked this over the API.');
  const turn = at.items().find(({ pk }) => pk?.S === `slack#T1#${ALERTS}#begun-${String(id)}`);
  expect(turn?.['by']?.S).toBe(integrationUser(DEPLOY_BOT));
});

test('a question in a private thread of a public channel is not posted: the channel is allowed, and not what only some people read there', async () => {
  const root = '1700000000.000100';
  const at = await apiHarness(undefined, { isPublicChannel: async (place) => place.root !== root });
  const { answer } = await at.ask({ question: 'And now?', channel: ALERTS, thread: root });
  expect(answer).toMatchObject({ status: 'failed', error: { code: 'channel_unavailable' } });
  expect(at.prompts).toEqual([]);
});

test('a question in an existing thread is posted there', async () => {
  const at = await apiHarness();
  const { answer } = await at.ask({ question: 'And now?', channel: ALERTS, thread: '1700000000.000100' });
  expect(answer).toMatchObject({ status: 'completed', thread: '1700000000.000100' });
});

describe('a question in a channel', () => {
  test('that the integration may not use is refused before anything is stored', async () => {
    const at = await apiHarness();
    const before = at.items().length;
    expect(await at.ask({ question: 'What?', channel: 'C2' })).toMatchObject({
      status: 403,
      answer: { error: { code: 'channel_not_allowed', param: 'channel' } },
    });
    expect(at.items()).toHaveLength(before);
  });

  test('whose permission was taken meanwhile, or that the bot cannot write in, fails visibly', async () => {
    const at = await apiHarness();
    const waiting = await at.send({ body: { question: 'What?', channel: ALERTS, wait: 0 } });
    expect([waiting.status, readObject(waiting.text)['status']]).toEqual([202, 'queued']);
    await at.integrations.setChannels(PLACE, DEPLOY_BOT.id, { channels: [], privateChannels: [] });
    await at.work();
    const { location: path = '' } = waiting.headers;
    expect(readObject((await at.send({ method: 'GET', path })).text)).toMatchObject({
      status: 'failed',
      error: { code: 'channel_not_allowed' },
    });
    await at.integrations.add(PLACE, DEPLOY_BOT, KEY, 'again');
    at.messenger.refuse.startThread = new CannotPostError('not a member');
    expect((await at.ask({ question: 'What?', channel: ALERTS })).answer).toMatchObject({
      status: 'failed',
      error: { code: 'channel_unavailable' },
    });
    expect(at.prompts).toEqual([]);
  });
});

describe('who asks', () => {
  test.each([
    ['no key', ''],
    ['a wrong key', KEY.replace(/7$/u, '8')],
    ['a key of another workspace', KEY.replace('_T1_', '_T2_')],
    ['a key that is not one', 'sk-live'],
  ])('with %s gets a 401, and nothing is written', async (_, key) => {
    const at = await apiHarness();
    const before = JSON.stringify(at.items());
    const { status, headers, text } = await at.send({ key, body: { question: 'What?' } });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="parley"']);
    expect(readObject(text)).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect([JSON.stringify(at.items()), at.permits, at.queue.sent]).toEqual([before, [], []]);
  });

  test('with a revoked key gets a 401; a rotated key is valid for one more day', async () => {
    const at = await apiHarness();
    const next = KEY.replace(/07$/u, '08');
    await at.integrations.rotate(PLACE, DEPLOY_BOT.id, next, 'call-2');
    const statusOf = async (key: string) => (await at.send({ method: 'GET', path: '/v1/ask/x', key })).status;
    expect([await statusOf(KEY), await statusOf(next)]).toEqual([404, 404]);
    at.time.advance(86_400_001);
    expect([await statusOf(KEY), await statusOf(next)]).toEqual([401, 404]);
    await at.integrations.remove(PLACE, DEPLOY_BOT.id);
    expect(await statusOf(next)).toBe(401);
  });

  test('the stored integration has the hash of the key only', async () => {
    const at = await apiHarness();
    expect(JSON.stringify(at.items())).not.toContain(KEY.slice(-48));
  });

  test('too often gets a 429 with the time to wait', async () => {
    const at = await apiHarness();
    const { status, headers } = await at.send(
      { body: { question: 'What?' } },
      { takeRequest: () => Promise.resolve(2_100) },
    );
    expect([status, headers['retry-after']]).toEqual([429, '3']);
  });

  test('cannot read the request of another integration', async () => {
    const at = await apiHarness();
    const { answer } = await at.ask({ question: 'What?' });
    const other = { ...DEPLOY_BOT, id: 'fedcba9876543210', name: 'other' };
    const key = KEY.replace(DEPLOY_BOT.id, other.id);
    await at.integrations.add(PLACE, other, key, 'setup');
    const { id, conversation } = answer;
    expect((await at.send({ method: 'GET', path: `/v1/ask/${String(id)}`, key })).status).toBe(404);
    expect((await at.send({ key, body: { question: 'Why?', conversation } })).status).toBe(404);
  });
});

test.each([
  ['{', undefined, 400, 'invalid_request'],
  ['[]', undefined, 400, 'invalid_request'],
  [{ question: ' ' }, 'question', 400, 'invalid_request'],
  [{ question: 'x'.repeat(40_001) }, 'question', 400, 'invalid_request'],
  [{ question: 'What?', strem: true }, 'strem', 400, 'invalid_request'],
  [{ question: 'What?', thread: '1700000000.000100' }, 'thread', 400, 'invalid_request'],
  [{ question: 'What?', wait: 121 }, 'wait', 400, 'invalid_request'],
  [{ question: 'What?', conversation: '1700000000.000100' }, 'conversation', 404, 'not_found'],
  ['x'.repeat(262_145), undefined, 413, 'body_too_large'],
])('a request that is not valid: %#', async (body, param, status, code) => {
  const at = await apiHarness();
  const response = await at.send({ body });
  expect([response.status, readObject(response.text)['error']]).toMatchObject([
    status,
    param === undefined ? { code } : { code, param },
  ]);
  expect(at.queue.sent).toEqual([]);
});

test.each([
  ['PUT', '/v1/ask', 405, 'POST'],
  ['HEAD', '/v1/ask', 405, 'POST'],
  ['DELETE', '/v1/ask/ask_1', 405, 'GET'],
  ['POST', '/v1/ask/ask_1', 405, 'GET'],
  ['POST', '/v1/asking', 404, undefined],
  ['GET', '/', 404, undefined],
])('%s %s gets a %i, and is told the method', async (method, path, status, allow) => {
  const at = await apiHarness();
  const response = await at.send({ method, path });
  expect([response.status, response.headers['allow']]).toEqual([status, allow]);
});

test.each([
  ['is denied', { setting: 'denied', value: [integrationUser(DEPLOY_BOT)] }],
  ['asks where the bot is silent', { setting: 'mentions', value: 'off' }],
] as const)('an integration that %s reads why it is refused', async (_, { setting, value }) => {
  const at = await apiHarness();
  await at.context.settingsStore.change({ ...PLACE, user: 'U9' }, 'workspace', {
    change: { kind: 'value', level: 'workspace', setting, value },
    edit: (layer) => ({ ...layer, values: { ...layer.values, [setting]: value } }),
    by: 'U9',
    expected: undefined,
  });
  at.time.advance(31_000);
  const refusal = { status: 'failed', error: { code: 'access_denied' } };
  expect((await at.ask({ question: 'What?' })).answer).toMatchObject(refusal);
  // Nor is its question posted in a channel.
  const { answer } = await at.ask({ question: 'What?', channel: ALERTS });
  expect(answer).toMatchObject({ ...refusal, channel: ALERTS, thread: null });
  expect([at.prompts, at.messenger.cards.size]).toEqual([[], 0]);
});

test('questions that wait in one conversation are answered one by one', async () => {
  const at = await apiHarness();
  const first = await at.ask({ question: 'First?' });
  const { conversation } = first.answer;
  const body = { conversation, wait: 0 };
  await at.send({ body: { ...body, question: 'Second?' } });
  await at.send({ body: { ...body, question: 'Third?' } });
  await at.work();
  expect(at.prompts).toHaveLength(3);
});

test('the erasure of an integration leaves nothing of its questions, and that of the workspace nothing at all', async () => {
  const at = await apiHarness();
  const { answer } = await at.ask({ question: 'What?' });
  await at.ask({ question: 'Healthy?', channel: ALERTS });
  const asker = integrationUser(DEPLOY_BOT);
  const turn = { thread: { ...PLACE, channel: ALERTS, root: messageId('1.1') }, message: messageId('1.1') };
  await at.refuse({ ...turn, asker, askerWorkspace: PLACE.workspace }, 'no');
  const scan = async () => ({ Items: at.items() });
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo: at.dynamo,
    scan,
    table: 'conversations',
    now: at.time.now,
  });
  const hooks = { eraseJobs: () => Promise.resolve() };
  await erasure.page({ ...PLACE, user: asker }, undefined, hooks);
  expect(at.items().map(({ sk }) => sk?.S)).toEqual([`INTEGRATION#${DEPLOY_BOT.id}`]);
  const read = await at.send({ method: 'GET', path: `/v1/ask/${String(answer['id'])}` });
  expect(read.status).toBe(404);
  await erasure.page(PLACE, undefined, hooks);
  expect(at.items()).toEqual([]);
});
