import { expect, test } from '@jest/globals';
import { type Message, parseToolArguments } from '../../shared/upstream/index.ts';
import { pick } from '../simulators/upstream/test-client.ts';
import { event } from '../upstream/raw-server.ts';
import { QUESTION, textOf } from '../upstream/raw-server-harness.ts';
import { completion, overBytes, say, sends, streams, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';

const CALL = { id: 'call_1', name: 'get_weather', arguments: '{"place" : "Zürich 👋" }\n' } as const;
const SECOND = { id: 'call_0', name: 'now', arguments: '' } as const;
const WIRE_CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: CALL.name, arguments: CALL.arguments },
};
const WIRE_SECOND = { id: 'call_0', type: 'function', function: { name: 'now', arguments: '' } };

const TOLD: readonly Message[] = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: [{ type: 'text', text: TEXT }] },
  { role: 'assistant', content: null, toolCalls: [CALL, SECOND] },
  { role: 'tool', toolCallId: 'call_0', content: 'noon' },
  { role: 'tool', toolCallId: 'call_1', content: 'rain' },
];
const WIRE_TOLD = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: [{ type: 'text', text: TEXT }] },
  { role: 'assistant', content: null, tool_calls: [WIRE_CALL, WIRE_SECOND] },
  { role: 'tool', tool_call_id: 'call_0', content: 'noon' },
  { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
];

for (const id of ['MSG-001', 'MSG-004', 'MSG-006', 'MSG-007', 'MSG-008'])
  test(onBytes(id), () => sends({ messages: TOLD }, { messages: WIRE_TOLD }));

test(onBytes('MSG-003'), () =>
  overBytes(say, async ({ upstream, server }) => {
    await upstream.chat.complete({ ...QUESTION, messages: TOLD, reasoningEffort: 'max' });
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('developer');
    expect(pick(server.requests[0]?.body, 'messages', 0, 'role')).toBe('system');
  }),
);

test(onBytes('MSG-005'), () => {
  const url = 'https://example.com/x';
  const content = [
    { type: 'text', text: TEXT },
    { type: 'image', url },
    { type: 'video', url },
    { type: 'audio', url },
    { type: 'input-audio', base64: 'AAAA', format: 'wav' },
  ] as const;
  const wire = [
    { type: 'text', text: TEXT },
    { type: 'image_url', image_url: { url } },
    { type: 'video_url', video_url: { url } },
    { type: 'audio_url', audio_url: { url } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ];
  return sends({ messages: [{ role: 'user', content }] }, { messages: [{ role: 'user', content: wire }] });
});

test(onBytes('MSG-010'), async () => {
  const [system, question, calls, noon, rain] = TOLD;
  if (!system || !question || !calls || !noon || !rain) throw new Error('The history has five messages.');
  const messages = WIRE_TOLD.slice(0, 2);
  await sends({ messages: [system, question, calls, noon] }, { messages: messages });
  await sends({ messages: [system, noon, question, rain] }, { messages: messages });
  const message = { role: 'assistant', content: 'Let me see.' } as const;
  await sends(
    { messages: [system, question, { ...message, toolCalls: [CALL] }] },
    { messages: [...messages, message] },
  );
  await sends({ messages: [...TOLD, rain] }, { messages: WIRE_TOLD });
});

const called = (args: unknown) =>
  completion(
    { content: null, tool_calls: [{ ...WIRE_CALL, function: { name: 'f', arguments: args } }] },
    {},
    'tool_calls',
  );

test(onBytes('MSG-011'), () =>
  overBytes(
    () => called(CALL.arguments),
    async ({ upstream }) => {
      const { toolCalls, finish, text } = await upstream.chat.complete(QUESTION);
      expect([toolCalls, finish, text]).toEqual([[{ ...CALL, name: 'f' }], 'tool_calls', '']);
    },
  ),
);

test(onBytes('MSG-012'), () => {
  const parameters = { type: 'object', required: ['place'] };
  return overBytes(
    (_, count) => called(count === 1 ? '{"place":' : count === 2 ? '{"other":"ü"}' : '{"place":"ü"}'),
    async ({ upstream }) => {
      const results: unknown[] = [];
      for (let n = 0; n < 3; n += 1) {
        const [call] = (await upstream.chat.complete(QUESTION)).toolCalls;
        if (call !== undefined) results.push(parseToolArguments(call, parameters));
      }
      expect(results).toMatchObject([
        { ok: false, errors: ['/: is not JSON'] },
        { ok: false, errors: [expect.stringContaining('place')] },
        { ok: true, value: { place: 'ü' } },
      ]);
    },
  );
});

test(onBytes('MSG-013'), () =>
  overBytes(
    (_, count) => completion({ reasoning_content: count === 1 ? 'Hm, ü.' : null }),
    async ({ upstream }) => {
      expect(await upstream.chat.complete(QUESTION)).toMatchObject({ reasoning: 'Hm, ü.', text: TEXT });
      expect(await upstream.chat.complete(QUESTION)).toMatchObject({ reasoning: '', text: TEXT });
    },
  ),
);

test(onBytes('MSG-014'), () => {
  const message = {
    role: 'assistant',
    content: 'Yes.',
    reasoning: 'SECRET',
    reasoning_content: 'SECRET',
  } as const;
  return sends(
    { messages: [...QUESTION.messages, message] },
    { messages: [...QUESTION.messages, { role: 'assistant', content: 'Yes.' }] },
  );
});

test(onBytes('MSG-015'), async () => {
  const forms = [
    { reasoning_content: 'Hm.', reasoning: 'Hm.' },
    { reasoning: 'Hm.' },
    { reasoning_content: null, reasoning: 'Hm.' },
  ];
  for (const form of forms) {
    await overBytes(
      () => completion(form),
      async ({ upstream }) => expect((await upstream.chat.complete(QUESTION)).reasoning).toBe('Hm.'),
    );
    await streams([event({ ...form, content: TEXT }), event({}, 'stop')], ({ end }) =>
      expect(end).toMatchObject({ text: TEXT, reasoning: 'Hm.' }),
    );
  }
});

test(onBytes('MSG-017'), async () => {
  const REASONING = 'Hm, <ü';
  const tagged = `\n<think>\n${REASONING}</think>\n\n${TEXT}`;
  const parts = (length: number): string[] => tagged.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
  const forms = [
    [event({ reasoning_content: 'Hm, ' }), event({ reasoning_content: '<ü' }), event({ content: TEXT })],
    ...[1, 2, 7, 1_000].map((length) => parts(length).map((content) => event({ content }))),
  ];
  for (const events of forms) {
    await streams([...events, event({}, 'stop')], (response) => {
      expect([textOf(response), response.end?.text]).toEqual([TEXT, TEXT]);
      expect([textOf(response, 'reasoning'), response.end?.reasoning]).toEqual([REASONING, REASONING]);
    });
  }
  await overBytes(
    () => completion({ content: tagged }),
    async ({ upstream }) =>
      expect(await upstream.chat.complete(QUESTION)).toMatchObject({ text: TEXT, reasoning: REASONING }),
  );
});

test(onBytes('MSG-018'), async () => {
  await overBytes(
    () => called('{}'),
    async ({ upstream }) => expect((await upstream.chat.complete(QUESTION)).text).toBe(''),
  );
  await streams([event({ role: 'assistant', content: null }), event({ content: null }, 'stop')], ({ end }) =>
    expect(end?.text).toBe(''),
  );
});
