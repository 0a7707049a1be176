import { expect, test } from '@jest/globals';
import { pick, answerText, user } from '../simulators/upstream/test-client.ts';
import { row } from './rows.ts';
import { bodyOf, CURRENT, ROOMY, service } from './service.ts';

const { sim, ask, outcomes, takers, client, last } = service(ROOMY);

const [A, B, C, D, E, EDGE, FLASH] = CURRENT;

test(row('CHAT-017'), async () => {
  expect(await outcomes({ temperature: 5 }, { temperature: -1 }, { temperature: 'hot' })).toEqual([
    '200',
    '200',
    '400 temperature',
  ]);
});

test(row('CHAT-018'), async () => {
  expect(await takers({ temperature: 0.5 })).toEqual(CURRENT);
});

test(row('CHAT-019'), async () => {
  expect(await takers({ top_p: 0.5 })).toEqual(CURRENT);
  expect(await outcomes({ top_p: 'x' })).toEqual(['400 top_p']);
});

test(row('CHAT-020'), async () => {
  expect(await takers({ top_k: 5 })).toEqual(CURRENT);
  expect(await outcomes({ top_k: 1.5 })).toEqual(['400 top_k']);
});

test(row('CHAT-021'), async () => {
  expect(await takers({ min_p: 0.1 })).toEqual([E]);
});

test(row('CHAT-022'), async () => {
  expect(await takers({ repetition_penalty: 1.1 })).toEqual([B, C, D, E]);
});

test(row('CHAT-023'), async () => {
  expect(await takers({ frequency_penalty: 1 })).toEqual([B, C, D, E, EDGE, FLASH]);
});

test(row('CHAT-024'), async () => {
  const wrong = [2.01, -2.01, 100].map((value) => ({ frequency_penalty: value }));
  expect(await outcomes(...wrong)).toEqual(wrong.map(() => '400 frequency_penalty'));
});

test(row('CHAT-025'), async () => {
  expect(await outcomes({ frequency_penalty: -2 }, { frequency_penalty: 2 })).toEqual(['200', '200']);
});

test(row('CHAT-026'), async () => {
  expect(await takers({ presence_penalty: 1 })).toEqual([C, D, E, EDGE, FLASH]);
});

test(row('CHAT-027'), async () => {
  const values = [-2.01, -2, 2, 2.01].map((value) => ({ presence_penalty: value }));
  expect(await outcomes(...values)).toEqual(['400 presence_penalty', '200', '200', '400 presence_penalty']);
});

test(row('CHAT-028'), async () => {
  expect(await takers({ logit_bias: { 5: 1 } })).toEqual([E]);
  expect(await outcomes({ model: E, logit_bias: [1] })).toEqual(['400 logit_bias']);
});

test(row('CHAT-029'), async () => {
  const values = [-101, -100, 100, 101].map((value) => ({ model: E, logit_bias: { 5: 0, 7: value } }));
  expect(await outcomes(...values)).toEqual(['400 logit_bias', '200', '200', '400 logit_bias']);
});

test(row('CHAT-030'), async () => {
  const fields = { min_p: 0.1, repetition_penalty: 1, frequency_penalty: 1, presence_penalty: 1 };
  const each = Object.entries(fields).map(([name, value]) => ({ model: A, [name]: value }));
  expect(await outcomes(...each)).toEqual(Object.keys(fields).map((name) => `400 ${name}`));
});

test(row('CHAT-031'), async () => {
  const { omitted } = await client({ fitToModel: true }).chat.complete({
    model: A,
    messages: [{ role: 'user', content: 'hello' }],
    topK: 5,
    minP: 0.1,
    repetitionPenalty: 1.1,
    presencePenalty: 1,
    logitBias: { 5: 1 },
  });
  expect(omitted.toSorted()).toEqual(['logit_bias', 'min_p', 'presence_penalty', 'repetition_penalty']);
  expect([last().status, bodyOf(last())['top_k']]).toEqual([200, 5]);
  for (const name of omitted) expect(bodyOf(last())).not.toHaveProperty(name);
});

test(row('CHAT-065'), async () => {
  expect(await takers({ logprobs: true })).toEqual([A, B, C, D]);
  sim().control.setModel(C, { features: ['streaming'] });
  expect(await outcomes({ model: C, logprobs: true })).toEqual(['400 logprobs']);
  sim().control.setModel(E, { features: ['logprobs', 'streaming'] });
  expect(await outcomes({ model: E, logprobs: true })).toEqual(['400 logprobs']);
});

test(row('CHAT-066'), async () => {
  const others = [E, EDGE, FLASH].map((model) => ({ model, logprobs: true }));
  expect(await outcomes(...others)).toEqual(others.map(() => '400 logprobs'));
  expect(await outcomes({ model: E, logprobs: false })).toEqual(['200']);
});

test(row('CHAT-067'), async () => {
  const values = [-1, 0, 20, 21, 1.5].map((value) => ({ logprobs: true, top_logprobs: value }));
  const wrong = '400 top_logprobs';
  expect(await outcomes(...values)).toEqual([wrong, '200', '200', wrong, wrong]);
});

/** The number of alternatives of each token of an answer. */
async function alternatives(patch: Record<string, unknown>): Promise<unknown> {
  const { status, json } = await ask({ messages: [user('[[sim:say=a b c]]')], ...patch });
  expect(status).toBe(200);
  const tokens = pick(json, 'choices', 0, 'logprobs', 'content');
  if (!Array.isArray(tokens)) return undefined;
  return tokens.map((token: unknown) => {
    const top = pick(token, 'top_logprobs');
    return Array.isArray(top) ? top.length : undefined;
  });
}

test(row('CHAT-068'), async () => {
  expect(await alternatives({ logprobs: true, top_logprobs: 3 })).toEqual([3, 3, 3]);
  const { logprobs } = await client().chat.complete({
    model: C,
    messages: [{ role: 'user', content: '[[sim:say=a b]]' }],
    logprobs: true,
    topLogprobs: 2,
  });
  expect(logprobs?.map(({ token, top }) => [token, top.length])).toEqual([
    ['a', 2],
    [' b', 2],
  ]);
});

test(row('CHAT-069'), async () => {
  expect(await alternatives({ logprobs: true })).toEqual([0, 0, 0]);
  expect(await alternatives({ top_logprobs: 5 })).toBeUndefined();
});

/** The answers to six identical requests. */
async function six(model: string, patch: Record<string, unknown>): Promise<Set<string>> {
  const answers = new Set<string>();
  const messages = [user('Why is the sky blue?')];
  for (let n = 0; n < 6; n += 1) answers.add(answerText(await ask({ model, messages, ...patch })));
  return answers;
}

test(row('CHAT-070'), async () => {
  for (const model of [C, D, E, EDGE, FLASH]) expect((await six(model, { seed: 4 })).size).toBe(1);
  expect((await six(C, {})).size).toBeGreaterThan(1);
  expect(await six(C, { seed: 5 })).not.toEqual(await six(C, { seed: 11 }));
});

test(row('CHAT-071'), async () => {
  for (const model of [A, B]) expect((await six(model, { seed: 4 })).size).toBeGreaterThan(1);
});
