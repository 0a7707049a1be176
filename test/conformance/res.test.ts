import { expect, test } from '@jest/globals';
import { calculateCost, type Completion } from '../../shared/upstream/index.ts';
import { runCompletion } from '../../shared/chat/model/run-completion.ts';
import { pick, user } from '../simulators/upstream/test-client.ts';
import { data, event, reply, stream } from '../upstream/raw-server.ts';
import { QUESTION, readResponse, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { WEATHER_CALL, WEATHER_QUESTION } from './samples.ts';
import { NOW, ROOMY, service } from './service.ts';
import { createSpyTool, work } from './turn.ts';

const { ask, client } = service(ROOMY);

const HELLO = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] } as const;
const TOOLS = {
  tools: [{ type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }],
  tool_choice: 'required',
};
const LONG = { messages: [user('[[sim:tokens=50]]')], max_tokens: 5 };

const choice = async (patch: Record<string, unknown> = {}): Promise<unknown> =>
  pick((await ask(patch)).json, 'choices', 0);
const usage = async (patch: Record<string, unknown> = {}): Promise<unknown> =>
  pick((await ask(patch)).json, 'usage');

test(row('RES-001'), async () => {
  const [first, second] = [await ask(), await ask()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(pick(first.json, 'id')).toMatch(/^\S{8,}$/u);
  expect(pick(first.json, 'id')).not.toBe(pick(second.json, 'id'));
});

test(row('RES-002'), async () => {
  expect(pick((await ask()).json, 'object')).toBe('chat.completion');
});

test(row('RES-003'), async () => {
  expect(pick((await ask()).json, 'created')).toBe(NOW / 1000);
});

test(row('RES-004'), async () => {
  for (const model of ['model-a', 'vendor-flash-3'])
    expect(pick((await ask({ model })).json, 'model')).toBe(model);
});

test(row('RES-005'), async () => {
  const { json } = await ask();
  expect(pick(json, 'choices', 0, 'index')).toBe(0);
  expect(pick(json, 'choices', 1)).toBeUndefined();
});

test(row('RES-006'), async () => {
  const first = await choice();
  expect(pick(first, 'message', 'role')).toBe('assistant');
  expect(first).not.toHaveProperty('delta');
});

test(row('RES-007'), async () => {
  const reasons: unknown[] = [];
  for (const patch of [{}, LONG, TOOLS]) reasons.push(pick(await choice(patch), 'finish_reason'));
  expect(reasons).toEqual(['stop', 'length', 'tool_calls']);
  const tools = [{ name: 'now' }];
  const upstream = client();
  const finishes = [
    await upstream.chat.complete(HELLO),
    await upstream.chat.complete({ ...HELLO, maxTokens: 2 }),
    await upstream.chat.complete({ ...HELLO, tools, toolChoice: 'required' }),
  ].map(({ finish }) => finish);
  expect(finishes).toEqual(['stop', 'length', 'tool_calls']);
});

test(row('RES-008'), async () => {
  expect(pick(await choice(LONG), 'finish_reason')).toBe('length');
  expect(pick(await choice({ ...LONG, max_tokens: 50 }), 'finish_reason')).toBe('stop');
  const cuts: unknown[] = [];
  for (const max_tokens of [1, 2, 4, 100]) {
    const called = await choice({ ...WEATHER_CALL, max_tokens });
    const call = pick(called, 'message', 'tool_calls', 0, 'function', 'arguments');
    cuts.push([pick(called, 'finish_reason'), call]);
  }
  expect(cuts).toEqual([
    ['length', undefined],
    ['length', ''],
    ['length', expect.stringMatching(/^\{"[^}]*$/u)],
    ['tool_calls', expect.stringMatching(/^\{"place":".+"\}$/u)],
  ]);
});

test(row('RES-009'), async () => {
  const called = await choice(TOOLS);
  expect(pick(called, 'finish_reason')).toBe('tool_calls');
  expect(pick(called, 'message', 'tool_calls', 0, 'function', 'name')).toBe('now');
});

test(row('RES-010'), async () => {
  const prompt = { role: 'user', content: '[[sim:tokens=50]]' } as const;
  const { finish } = await client().chat.complete({ ...HELLO, messages: [prompt], maxTokens: 5 });
  expect(finish).toBe('length');
  const request = { ...HELLO, messages: [prompt], maxTokens: 5 };
  const ended = await runCompletion(
    [],
    work((options) => client().chat.stream(request, options)),
  );
  expect(pick(ended, 'outcome', 'text')).toMatch(/maximum length/u);
  // A call of a tool is cut too: in its arguments, before them, or in its name.
  for (const maxTokens of [4, 2, 1]) {
    const cutCall = { ...HELLO, ...WEATHER_QUESTION, maxTokens };
    const { tool, ran } = createSpyTool('get_weather');
    const outcome = await runCompletion([], {
      ...work((options) => client().chat.stream(cutCall, options)),
      tools: [tool],
    });
    expect(pick(outcome, 'outcome')).toMatchObject({
      finish: 'length',
      text: expect.stringMatching(/maximum length/u),
    });
    expect(ran).toEqual([]);
  }
});

test(row('RES-011'), async () => {
  expect(pick(await choice(), 'logprobs')).toBeNull();
  expect(pick(await choice({ logprobs: false }), 'logprobs')).toBeNull();
  expect(pick(await choice({ logprobs: true }), 'logprobs')).not.toBeNull();
});

test(row('RES-012'), async () => {
  expect(Number.isInteger(pick(await choice(), 'matched_stop'))).toBe(true);
  expect(await choice(LONG)).not.toHaveProperty('matched_stop');
  expect((await client().chat.complete(HELLO)).matchedStop).toBeGreaterThan(0);
});

/** What the client makes of an answer with this usage. */
async function counted(value: unknown): Promise<Completion> {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
  return withServer(
    (socket) => reply(socket, 200, { id: 'c-1', model: 'model-a', choices, usage: value }),
    async ({ upstream }) => upstream.chat.complete(QUESTION),
  );
}

test(row('RES-013'), async () => {
  for (const none of [undefined, null, {}, 'many'])
    expect(await counted(none)).toMatchObject({ text: 'Hi', usage: undefined });
});

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'reasoning_tokens'] as const;

test(row('RES-014'), async () => {
  const usageJson = await usage({ model: 'model-a' });
  for (const name of COUNTS) expect([name, Number.isInteger(pick(usageJson, name))]).toEqual([name, true]);
});

test(row('RES-015'), async () => {
  const usageJson = await usage({ model: 'model-a', messages: [user('[[sim:say=a b c]]')] });
  expect(pick(usageJson, 'reasoning_tokens')).toBeGreaterThan(3);
  expect(Number(pick(usageJson, 'completion_tokens')) - Number(pick(usageJson, 'reasoning_tokens'))).toBe(3);
});

test(row('RES-016'), async () => {
  const usageJson = await usage({ model: 'model-a' });
  expect(pick(usageJson, 'total_tokens')).toBe(
    Number(pick(usageJson, 'prompt_tokens')) + Number(pick(usageJson, 'completion_tokens')),
  );
  const pricing = { prompt: '0', completion: '1', request: '0' };
  const billed = { promptTokens: 1, completionTokens: 10, cachedTokens: 0 };
  const plain = calculateCost({ ...billed, reasoningTokens: 0 }, pricing);
  expect(calculateCost({ ...billed, reasoningTokens: 8 }, pricing)).toEqual(plain);
  expect(plain.atto).toBe(10n ** 19n);
});

test(row('RES-017'), async () => {
  for (const model of ['model-a', 'model-c']) {
    const usageJson = await usage({ model });
    expect(pick(usageJson, 'completion_tokens_details', 'reasoning_tokens')).toBe(
      pick(usageJson, 'reasoning_tokens'),
    );
  }
});

test(row('RES-018'), async () => {
  const base = { prompt_tokens: 1, completion_tokens: 9 };
  const places = [
    { ...base, reasoning_tokens: 4 },
    { ...base, completion_tokens_details: { reasoning_tokens: 4 } },
    { ...base, reasoning_tokens: 4, completion_tokens_details: { reasoning_tokens: 4 } },
    { ...base, reasoning_tokens: null, completion_tokens_details: { reasoning_tokens: 4 } },
  ];
  for (const place of places) expect((await counted(place)).usage?.reasoningTokens).toBe(4);
});

test(row('RES-019'), async () => {
  expect(pick(await usage(), 'prompt_tokens_details')).toBeNull();
  const base = { prompt_tokens: 9, completion_tokens: 1 };
  expect((await counted({ ...base, prompt_tokens_details: null })).usage?.cachedTokens).toBe(0);
  expect((await counted({ ...base, prompt_tokens_details: { cached_tokens: 5 } })).usage?.cachedTokens).toBe(
    5,
  );
});

test(row('RES-020'), async () => {
  const [prompt, completion, total] = COUNTS;
  for (const model of ['model-a', 'model-e']) {
    const usageJson = await usage({ model });
    expect(pick(usageJson, total)).toBe(
      Number(pick(usageJson, prompt)) + Number(pick(usageJson, completion)),
    );
  }
});

test(row('RES-021'), async () => {
  expect(pick((await ask()).json, 'metadata', 'weight_version')).toBe('model-c-sim-1');
  expect((await client().chat.complete(HELLO)).weightVersion).toBe('model-c-sim-1');
  expect((await readResponse(client().chat.stream(HELLO))).end?.weightVersion).toBe('model-c-sim-1');
  expect((await counted(undefined)).weightVersion).toBeUndefined();
});

test(row('RES-022'), async () => {
  const ended = await runCompletion(
    [],
    work((options) => client().chat.stream(HELLO, options)),
  );
  expect(pick(ended, 'outcome')).toMatchObject({ kind: 'answered', weightVersion: 'model-c-sim-1' });
});

test(row('RES-023'), async () => {
  const messages = [user('word '.repeat(400)), user('first?')];
  expect(pick(await usage({ messages }), 'prompt_tokens_details')).toBeNull();
  const again = await usage({ messages: [messages[0], user('second?')] });
  const cached = pick(again, 'prompt_tokens_details', 'cached_tokens');
  expect(cached).toBeGreaterThan(300);
  expect(cached).toBeLessThan(Number(pick(again, 'prompt_tokens')));
});

test(row('RES-024'), async () => {
  const plain = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  await withServer(
    (socket) =>
      stream(socket, [event({ content: 'Hi' }), event({}, 'stop'), data({ choices: [], usage: plain })]),
    async ({ upstream }) => {
      expect((await readResponse(upstream.chat.stream(QUESTION))).end).toMatchObject({
        text: 'Hi',
        reasoning: '',
        weightVersion: undefined,
        usage: { promptTokens: 1, completionTokens: 2, reasoningTokens: 0 },
      });
    },
  );
});
