import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MAX_INTEGRATIONS } from '../../shared/domain/index.ts';
import { fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { apiHarness, DEPLOY_BOT, KEY, PLACE, readObject } from './api-harness.ts';

/** Administrators add integrations at the same moment, where there are so many. `shown`: the cards that they get. */
async function addAtOnce(existing: number, names: readonly string[]) {
  const at = await apiHarness([], { userProfile: async () => ({ admin: true }) });
  for (let number = 1; number < existing; number += 1)
    await at.integrations.add(
      PLACE,
      { id: `${number}`, name: `other-${number}`, channels: [] },
      KEY,
      'setup',
    );
  const type = (text: string, id: string) => at.call(fakeInteraction(typedCommand(text), { id }));
  await Promise.all(names.map((name, number) => type(`integrations add ${name}`, `call-${number}`)));
  return { ...at, type, shown: at.messenger.answers.map(({ card }) => JSON.stringify(card)) };
}

test('two that are added at once are not one too many: neither keeps a key', async () => {
  const at = await addAtOnce(MAX_INTEGRATIONS - 1, ['one', 'another']);
  const limitCard = expect.stringContaining('at most 20 integrations');
  expect(at.shown).toEqual([limitCard, limitCard]);
  expect(await at.integrations.list(PLACE)).toHaveLength(MAX_INTEGRATIONS - 1);
  await at.type('integrations add one', 'later');
  expect(JSON.stringify(at.messenger.answers.at(-1)?.card)).toContain('parley_s_T1_');
});

test('nor have two the same name: a command could not tell them apart', async () => {
  const at = await addAtOnce(1, ['same', 'Same']);
  const nameCard = expect.stringContaining('There is already an integration');
  expect(at.shown).toEqual([nameCard, nameCard]);
  expect(await at.integrations.list(PLACE)).toHaveLength(1);
});

test('those beyond the limit, which an earlier version let through, are listed and can be removed', async () => {
  const at = await addAtOnce(MAX_INTEGRATIONS + 1, []);
  const listed = await at.integrations.list(PLACE);
  expect(listed).toHaveLength(MAX_INTEGRATIONS + 1);
  for (const { name } of listed) await at.type(`integrations remove ${name}`, name);
  expect(await at.integrations.list(PLACE)).toEqual([]);
});

test('an integration that reads too often gets a 429, before anything of the request is read; others do not', async () => {
  const at = await apiHarness();
  const { answer } = await at.ask({ question: 'What?' });
  const path = `/v1/ask/${String(answer['id'])}`;
  const read = (key = KEY) => at.send({ method: 'GET', path, key });
  for (let number = 0; number < 120; number += 1) expect((await read()).status).toBe(200);
  const { status, headers, text } = await at.send(
    { method: 'GET', path },
    { requests: { ...at.deps.requests, find: () => Promise.reject(new Error('read')) } },
  );
  expect([status, headers['retry-after'], readObject(text)]).toMatchObject([
    429,
    '1',
    { error: { code: 'rate_limited' } },
  ]);
  const other = { ...DEPLOY_BOT, id: 'fedcba9876543210', name: 'other' };
  const key = KEY.replace(DEPLOY_BOT.id, other.id);
  await at.integrations.add(PLACE, other, key, 'setup');
  expect((await read(key)).status).toBe(404);
  at.time.advance(50);
  expect([(await read()).status, (await read()).status]).toEqual([200, 429]);
});

test('characters that no queue takes are removed: half of an emoji where a program cut a text, and escape codes of a terminal', async () => {
  const at = await apiHarness();
  expect((await at.send({ body: '{"question":"\\u001bWhat? \\ud83d"}' })).status).toBe(200);
  expect(at.prompts).toEqual([JSON.stringify('What? ')]);
  expect((await at.send({ body: '{"question":"\\ud83d"}' })).status).toBe(400);
});

test('many questions of the same millisecond are as many conversations, and each request reads its own', async () => {
  const at = await apiHarness();
  let calls = 0;
  const randomBytes = (count: number) => {
    calls += 1;
    return createHash('sha256').update(String(calls)).digest().subarray(0, count);
  };
  const responses = await Promise.all(
    Array.from({ length: 200 }, async (_, number) =>
      readObject(
        (await at.send({ body: { question: `What is ${number}?`, wait: 0 } }, { randomBytes })).text,
      ),
    ),
  );
  const conversations = responses.map(({ conversation }) => conversation);
  expect(new Set(conversations).size).toBe(200);
  await at.work();
  expect(new Set(at.prompts).size).toBe(200);
  for (const { id, conversation } of responses.slice(0, 100)) {
    const read = readObject((await at.send({ method: 'GET', path: `/v1/ask/${String(id)}` })).text);
    expect(read).toMatchObject({ status: 'completed', conversation });
  }
});

test('a question that is sent again after it found its message taken keeps the one that it got', async () => {
  const at = await apiHarness();
  const ask = (number: number) =>
    at.ask({ question: `What is ${number}?`, wait: 0 }, { 'idempotency-key': `key-${number}` });
  const first = await Promise.all(Array.from({ length: 100 }, (_, number) => ask(number)));
  const again = await Promise.all(Array.from({ length: 100 }, (_, number) => ask(number)));
  expect(again).toEqual(first);
  await at.work();
  expect(at.prompts).toHaveLength(100);
});
