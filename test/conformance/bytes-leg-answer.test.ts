import { expect, test } from '@jest/globals';
import { runCompletion } from '../../shared/chat/model/run-completion.ts';
import { pick } from '../simulators/upstream/test-client.ts';
import { data } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, textOf } from '../upstream/raw-server-harness.ts';
import { overBytes, streams, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';
import { errorBody } from './samples.ts';
import { work } from './turn.ts';

const LEGACY = { shape: 'legacy' } as const;

const choice = (message: object, finish_reason: string | null) => ({
  json: {
    id: 'c-1',
    model: 'vendor-flash',
    choices: [{ index: 0, message: { role: 'assistant', content: TEXT, ...message }, finish_reason }],
    usage: { input_tokens: 7, output_tokens: 5 },
  },
});
const chunkOf = (content: string, output_tokens: number, finish_reason: string | null = null) =>
  data({
    id: 'c-1',
    object: undefined,
    model: 'vendor-flash',
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason }],
    usage: { input_tokens: 10, output_tokens },
  });

const DEEP = { place: 'Osłó "x" 👋', list: [1, 2.5, null, true], inner: { a: [] } };

for (const id of ['LEG-027', 'LEG-028', 'LEG-029'])
  test(onBytes(id), () =>
    overBytes(
      (_, count) =>
        count === 1
          ? choice({ content: null, tool_calls: [{ id: 'call_1', name: 'f', parameters: DEEP }] }, 'stop')
          : choice({}, 'stop'),
      async ({ upstream, server }) => {
        const { toolCalls } = await upstream.chat.complete({ ...QUESTION, tools: [{ name: 'f' }] });
        expect(toolCalls).toEqual([{ id: 'call_1', name: 'f', arguments: JSON.stringify(DEEP) }]);
        const odd = { id: 'call_2', name: 'f', arguments: 'not JSON' };
        const messages = [
          ...QUESTION.messages,
          { role: 'assistant', content: null, toolCalls: [...toolCalls, odd] },
          { role: 'tool', toolCallId: 'call_1', content: 'done' },
          { role: 'tool', toolCallId: 'call_2', content: 'failed' },
        ] as const;
        await upstream.chat.complete({ ...QUESTION, messages });
        expect(pick(server.requests[1]?.body, 'messages', 1, 'tool_calls')).toEqual([
          { id: 'call_1', name: 'f', parameters: DEEP },
          { id: 'call_2', name: 'f', parameters: { arguments: 'not JSON' } },
        ]);
        expect(pick(server.requests[1]?.body, 'messages', 2)).toEqual({
          role: 'tool',
          content: 'done',
          tool_call_id: 'call_1',
        });
      },
      LEGACY,
    ),
  );

for (const id of ['LEG-031', 'LEG-032'])
  test(onBytes(id), async () => {
    for (const finish of ['stop', 'length', 'context']) {
      await overBytes(
        () => choice({}, finish),
        async ({ upstream }) =>
          expect(await upstream.chat.complete(QUESTION)).toMatchObject({ text: TEXT, finish }),
        LEGACY,
      );
      await streams(
        [chunkOf(TEXT, 1), chunkOf('', 2, finish)],
        ({ end }) => expect(end).toMatchObject({ text: TEXT, finish }),
        LEGACY,
      );
    }
  });

test(onBytes('LEG-034'), () =>
  overBytes(
    () => ({ events: [chunkOf(TEXT, 1), chunkOf('', 2, 'context')] }),
    async ({ upstream }) => {
      const ended = await runCompletion(
        [],
        work((options) => upstream.chat.stream(QUESTION, options)),
      );
      expect(pick(ended, 'outcome', 'finish')).toBe('context');
      expect(pick(ended, 'outcome', 'text')).not.toBe(TEXT);
    },
    LEGACY,
  ),
);

test(onBytes('LEG-035'), () =>
  overBytes(
    () => choice({}, 'stop'),
    async ({ upstream }) =>
      expect((await upstream.chat.complete(QUESTION)).usage).toEqual({
        promptTokens: 7,
        completionTokens: 5,
        reasoningTokens: 0,
        cachedTokens: 0,
      }),
    LEGACY,
  ),
);

for (const id of ['LEG-036', 'LEG-037'])
  test(onBytes(id), () =>
    streams(
      [chunkOf('Grü', 1), chunkOf('ße 👋', 2), chunkOf('', 3, 'stop')],
      (response) => {
        expect(textOf(response)).toBe('Grüße 👋');
        expect(response.end).toMatchObject({
          text: 'Grüße 👋',
          id: 'c-1',
          model: 'vendor-flash',
          finish: 'stop',
        });
        expect(response.end?.usage).toMatchObject({ promptTokens: 10, completionTokens: 3 });
      },
      LEGACY,
    ),
  );

const INVALID = {
  detail: [
    { loc: ['body', 'stop', 0], msg: 'not a list, ü', type: 'type_error.list' },
    { loc: ['body', 'top_k'], msg: 'not an integer', type: 'type_error.integer' },
  ],
};

for (const id of ['LEG-038', 'LEG-040'])
  test(onBytes(id), () =>
    overBytes(
      () => ({ status: 422, json: INVALID }),
      async ({ upstream, server, time }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION, { standIns: ['model-b'] }));
        expect(asUpstreamError(error)).toMatchObject({
          kind: 'bad-request',
          status: 422,
          code: 'type_error.list',
          param: 'stop.0',
        });
        expect(asUpstreamError(error).message).toMatch(/stop\.0: not a list, ü; top_k: not an integer/u);
        expect([server.requests.length, time.waits]).toEqual([1, []]);
      },
      LEGACY,
    ),
  );

test(onBytes('LEG-039'), async () => {
  await overBytes(
    () => ({ status: 400, json: errorBody('validation_error', 'invalid_value', 'stop') }),
    async ({ upstream }) =>
      expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({
        kind: 'bad-request',
        code: 'invalid_value',
        param: 'stop',
      }),
    LEGACY,
  );
  await overBytes(
    () => ({ status: 422, json: INVALID }),
    async ({ upstream }) =>
      expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({
        code: 'type_error.list',
        param: 'stop.0',
      }),
    LEGACY,
  );
});
