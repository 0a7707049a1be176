import { expect, test } from '@jest/globals';
import { calculateCost } from '../../shared/upstream/index.ts';
import { runCompletion } from '../../shared/chat/model/run-completion.ts';
import { pick } from '../simulators/upstream/test-client.ts';
import { data, event, USAGE } from '../upstream/raw-server.ts';
import { QUESTION, readResponse } from '../upstream/raw-server-harness.ts';
import { completion, overBytes, streams, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';
import { createSpyTool, work } from './turn.ts';

test(onBytes('RES-007'), async () => {
  for (const finish of ['stop', 'length', 'tool_calls']) {
    await overBytes(
      () => completion({}, {}, finish),
      async ({ upstream }) => expect((await upstream.chat.complete(QUESTION)).finish).toBe(finish),
    );
    await streams([event({ content: TEXT }), event({}, finish)], ({ end }) =>
      expect(end?.finish).toBe(finish),
    );
  }
  await overBytes(
    () => completion({}, {}, null),
    async ({ upstream }) => expect((await upstream.chat.complete(QUESTION)).finish).toBe('unknown'),
  );
});

test(onBytes('RES-010'), async () => {
  const callOf = (text: string) =>
    event({ tool_calls: [{ index: 0, id: 'c-1', function: { name: 'f', arguments: text } }] });
  const cutCalls = ['', '{"a":', '{"a":1}'].map((text) => ({ text, events: [callOf(text)] }));
  for (const { text, events } of [{ text: undefined, events: [] }, ...cutCalls]) {
    await overBytes(
      () => ({ events: [event({ content: TEXT }), ...events, event({}, 'length')] }),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end?.toolCalls.map((call) => call.arguments)).toEqual(text === undefined ? [] : [text]);
        const { tool, ran } = createSpyTool('f');
        const ended = await runCompletion([], {
          ...work((options) => upstream.chat.stream(QUESTION, options)),
          tools: [tool],
        });
        expect(pick(ended, 'outcome', 'text')).toMatch(/maximum length/u);
        expect(ran).toEqual([]);
      },
    );
  }
});

test(onBytes('RES-012'), async () => {
  const choices = [{ index: 0, message: { content: TEXT }, finish_reason: 'stop', matched_stop: 151_645 }];
  await overBytes(
    () => completion({}, { choices }),
    async ({ upstream }) => expect((await upstream.chat.complete(QUESTION)).matchedStop).toBe(151_645),
  );
});

/** The usage that the client reports of this one. */
async function counts(usage: unknown, expected: unknown): Promise<void> {
  await overBytes(
    () => completion({}, { usage }),
    async ({ upstream }) =>
      expect(await upstream.chat.complete(QUESTION)).toMatchObject({ text: TEXT, usage: expected }),
  );
}

test(onBytes('RES-013'), async () => {
  for (const none of [undefined, null, {}, 'many', { prompt_tokens: 'x' }]) await counts(none, undefined);
  await streams([event({ content: TEXT }), event({}, 'stop', { usage: null })], ({ end }) => {
    expect(end?.text).toBe(TEXT);
    expect(end?.usage).toBeUndefined();
  });
});

const BASE = { prompt_tokens: 9, completion_tokens: 8, total_tokens: 17 };

test(onBytes('RES-016'), () =>
  overBytes(
    () => completion({}, { usage: { ...BASE, reasoning_tokens: 6 } }),
    async ({ upstream }) => {
      const { usage } = await upstream.chat.complete(QUESTION);
      if (usage === undefined) throw new Error('The completion has no usage.');
      expect(usage).toEqual({ promptTokens: 9, completionTokens: 8, reasoningTokens: 6, cachedTokens: 0 });
      expect(calculateCost(usage, { prompt: '0', completion: '1', request: '0' }).atto).toBe(8n * 10n ** 18n);
    },
  ),
);

test(onBytes('RES-018'), async () => {
  const expected = { reasoningTokens: 4 };
  await counts({ ...BASE, reasoning_tokens: 4 }, expected);
  await counts({ ...BASE, completion_tokens_details: { reasoning_tokens: 4 } }, expected);
  await counts(
    { ...BASE, reasoning_tokens: null, completion_tokens_details: { reasoning_tokens: 4 } },
    expected,
  );
});

test(onBytes('RES-019'), async () => {
  await counts({ ...BASE, prompt_tokens_details: null }, { cachedTokens: 0 });
  await counts({ ...BASE, prompt_tokens_details: { cached_tokens: 5 } }, { cachedTokens: 5 });
  await counts({ ...BASE, prompt_tokens_details: { cached_tokens: 50 } }, { cachedTokens: 9 });
});

const META = { metadata: { weight_version: 'ü-7' } };

test(onBytes('RES-021'), async () => {
  for (const [more, version] of [
    [META, 'ü-7'],
    [{ metadata: null }, undefined],
    [{}, undefined],
  ] as const) {
    await overBytes(
      () => completion({}, more),
      async ({ upstream }) => expect((await upstream.chat.complete(QUESTION)).weightVersion).toBe(version),
    );
    await streams([event({ content: TEXT }, null, more), event({}, 'stop')], ({ end }) =>
      expect(end?.weightVersion).toBe(version),
    );
  }
});

test(onBytes('RES-022'), () =>
  overBytes(
    () => ({ events: [event({ content: TEXT }, null, META), event({}, 'stop', META)] }),
    async ({ upstream }) => {
      const ended = await runCompletion(
        [],
        work((options) => upstream.chat.stream(QUESTION, options)),
      );
      expect(pick(ended, 'outcome')).toMatchObject({ kind: 'answered', weightVersion: 'ü-7' });
    },
  ),
);

test(onBytes('RES-024'), async () => {
  const { reasoning_tokens: _, ...usage } = USAGE;
  const last = data({ id: 'c-1', object: 'x', choices: [], usage });
  await streams([event({ content: TEXT }), event({}, 'stop'), last], ({ end }) =>
    expect(end).toMatchObject({
      text: TEXT,
      reasoning: '',
      weightVersion: undefined,
      usage: { completionTokens: 5, reasoningTokens: 0 },
    }),
  );
});

test(onBytes('RES-008'), () =>
  overBytes(
    () => completion({}, {}, 'length'),
    async ({ upstream }) => {
      const { finish, model, id, streamed } = await upstream.chat.complete(QUESTION);
      expect([finish, model, id, streamed]).toEqual(['length', 'model-a', 'c-1', false]);
      await expect(readResponse(upstream.chat.stream(QUESTION))).resolves.toMatchObject({
        end: { streamed: false },
      });
    },
  ),
);

test(onBytes('RES-005'), async () => {
  const choice = (index: number, content: string) => ({ index, finish_reason: 'stop', message: { content } });
  await overBytes(
    () => completion({}, { choices: [choice(1, 'other'), choice(0, TEXT)] }),
    async ({ upstream }) => expect((await upstream.chat.complete(QUESTION)).text).toBe(TEXT),
  );
  const other = data({
    id: 'c-1',
    object: 'x',
    choices: [{ index: 1, delta: { content: 'other' }, finish_reason: 'length' }],
  });
  await streams([other, event({ content: TEXT }), event({}, 'stop'), other], ({ end }) =>
    expect([end?.text, end?.finish]).toEqual([TEXT, 'stop']),
  );
});
