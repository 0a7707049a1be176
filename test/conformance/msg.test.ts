import { expect, test } from '@jest/globals';
import { parseToolArguments } from '../../shared/upstream/index.ts';
import { pick, answerText, user } from '../simulators/upstream/test-client.ts';
import { answerOf, event, stream } from '../upstream/raw-server.ts';
import { QUESTION, readResponse, textOf, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { bodyOf, ROOMY, service } from './service.ts';

const { sim, ask, outcomes, client, last } = service(ROOMY);

const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"place":"Oslo"}' },
};
const assistantMessage = { role: 'assistant', content: null, tool_calls: [CALL] };
const answered = { role: 'tool', tool_call_id: 'call_1', content: 'rain' };
const history = (...messages: readonly object[]) => ({ messages: [user('Weather?'), ...messages] });

const HELLO = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] } as const;
/** The same history as the client has it; the blanks in the arguments are the model's own. */
const OWN = { id: 'call_1', name: 'get_weather', arguments: '{"place" : "Oslo" }\n' } as const;
const TOLD = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Weather?' },
  { role: 'assistant', content: null, toolCalls: [OWN] },
  { role: 'tool', toolCallId: 'call_1', content: 'rain' },
] as const;

test(row('MSG-001'), async () => {
  const messages = [{ role: 'system', content: 'x' }, user('Weather?'), assistantMessage, answered];
  expect(await outcomes({ messages }, { messages: [{ content: 'x' }] })).toEqual([
    '200',
    '400 messages[0].role',
  ]);
  await client().chat.complete({ ...HELLO, messages: TOLD });
  const roles = [0, 1, 2, 3].map((at) => pick(last().body, 'messages', at, 'role'));
  expect([last().status, ...roles]).toEqual([200, 'system', 'user', 'assistant', 'tool']);
});

test(row('MSG-002'), async () => {
  const messages = (role: string) => ({ messages: [user('x'), { role, content: 'x' }] });
  expect(await outcomes(messages('developer'), messages('System'))).toEqual([
    '400 messages[1].role',
    '400 messages[1].role',
  ]);
});

test(row('MSG-003'), async () => {
  await client().chat.complete({ ...HELLO, model: 'model-a', messages: TOLD });
  expect(JSON.stringify(last().body)).not.toContain('developer');
  expect(pick(last().body, 'messages', 0, 'role')).toBe('system');
});

test(row('MSG-004'), async () => {
  const content = (value: unknown) => ({ messages: [{ role: 'assistant', content: value }, user('x')] });
  const parts = [{ type: 'text', text: 'hello' }];
  expect(await outcomes(content('x'), content(parts), content(null), content(3))).toEqual([
    '200',
    '200',
    '200',
    '400 messages[0].content',
  ]);
  const list = [{ type: 'text', text: 'hello' }] as const;
  await client().chat.complete({ ...HELLO, messages: [{ role: 'user', content: list }, ...TOLD] });
  expect(bodyOf(last())['messages']).toMatchObject([{ content: parts }, {}, {}, { content: null }, {}]);
});

test(row('MSG-005'), async () => {
  const url = 'https://example.com/x';
  const media = [
    { type: 'text', text: 'What is this?' },
    { type: 'image', url },
    { type: 'video', url },
    { type: 'audio', url },
    { type: 'input-audio', base64: 'AAAA', format: 'wav' },
  ] as const;
  sim().control.setModel('model-c', { input: ['text', 'image', 'video', 'audio'] });
  const { text } = await client().chat.complete({ ...HELLO, messages: [{ role: 'user', content: media }] });
  expect(text).toMatch(/a picture.*a video.*a recording/su);
  expect(pick(last().body, 'messages', 0, 'content')).toEqual([
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
    { type: 'video_url', video_url: { url } },
    { type: 'audio_url', audio_url: { url } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ]);
  const part = (value: object) => ({ messages: [user([value])] });
  const image = { type: 'image_url', image_url: { url } };
  expect(await outcomes(part({ type: 'image_url', image_url: url }), part({ type: 'pdf' }))).toEqual([
    '200',
    '400 messages[0].content[0]',
  ]);
  expect(await outcomes({ ...part(image), model: 'model-a' })).toEqual(['400 messages[0].content']);
});

test(row('MSG-006'), async () => {
  const wrong = { ...assistantMessage, tool_calls: CALL };
  expect(await outcomes(history(assistantMessage, answered), history(wrong, answered))).toEqual([
    '200',
    '400 messages[1].tool_calls',
  ]);
  await client().chat.complete({ ...HELLO, messages: TOLD });
  expect(pick(last().body, 'messages', 2, 'tool_calls', 0, 'id')).toBe('call_1');
});

test(row('MSG-007'), async () => {
  const second = { id: 'call_0', name: 'now', arguments: '{}' };
  const messages = [
    TOLD[1],
    { role: 'assistant', content: null, toolCalls: [OWN, second] },
    { role: 'tool', toolCallId: 'call_0', content: 'noon' },
    TOLD[3],
  ] as const;
  await client().chat.complete({ ...HELLO, messages: messages });
  expect(last().status).toBe(200);
  expect(pick(last().body, 'messages', 1, 'tool_calls')).toEqual([
    { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: OWN.arguments } },
    { id: 'call_0', type: 'function', function: { name: 'now', arguments: '{}' } },
  ]);
});

test(row('MSG-008'), async () => {
  expect(answerText(await ask(history(assistantMessage, answered)))).toBe('`get_weather` says: rain');
  await client().chat.complete({ ...HELLO, messages: TOLD });
  expect(pick(last().body, 'messages', 3)).toEqual(answered);
});

test(row('MSG-009'), async () => {
  const other = history(assistantMessage, { ...answered, tool_call_id: 'call_2' });
  const none = history(answered);
  expect(await outcomes(other, none)).toEqual([
    '400 messages[2].tool_call_id',
    '400 messages[1].tool_call_id',
  ]);
  const { lenient } = sim().control.settings();
  sim().control.change({ lenient: { ...lenient, unmatchedToolAnswer: true } });
  expect(await outcomes(other, none)).toEqual(['200', '200']);
});

test(row('MSG-010'), async () => {
  const [system, question, call, answer] = TOLD;
  const cut = [
    [system, answer, question],
    [system, question, call],
    [system, question, { ...call, content: 'Let me see.' }],
  ];
  const sent: unknown[] = [];
  for (const messages of cut) {
    await client().chat.complete({ ...HELLO, messages: [...messages, { role: 'user', content: 'Well?' }] });
    expect(last().status).toBe(200);
    sent.push(JSON.stringify(last().body));
  }
  for (const body of sent) expect(body).not.toMatch(/tool_call/u);
  expect(sent[2]).toContain('Let me see.');
});

test(row('MSG-011'), async () => {
  const lacking = [
    { ...CALL, id: undefined },
    { ...CALL, type: 'other' },
    { ...CALL, function: { arguments: '{}' } },
    { ...CALL, function: { name: 'get_weather', arguments: { place: 'Oslo' } } },
  ];
  const all = lacking.map((call) => history({ ...assistantMessage, tool_calls: [call] }, answered));
  const at = '400 messages[1].tool_calls[0]';
  expect(await outcomes(...all)).toEqual([at, at, `${at}.function`, `${at}.function`]);
  const { toolCalls } = await client().chat.complete({
    ...HELLO,
    messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
    tools: [{ name: 'get_weather', parameters: { type: 'object', properties: {} } }],
  });
  expect(toolCalls).toEqual([{ id: expect.stringMatching(/^call_/u), name: 'get_weather', arguments: '{}' }]);
});

test(row('MSG-012'), () => {
  const parameters = { type: 'object', required: ['place'] };
  expect(parseToolArguments({ ...OWN, arguments: '{"place":' }, parameters)).toEqual({
    ok: false,
    errors: ['/: is not JSON'],
  });
  expect(parseToolArguments({ ...OWN, arguments: '{}' }, parameters)).toMatchObject({ ok: false });
  expect(parseToolArguments(OWN, parameters)).toEqual({ ok: true, value: { place: 'Oslo' } });
});

const trace = async (model: string): Promise<unknown> =>
  pick((await ask({ model })).json, 'choices', 0, 'message', 'reasoning_content');

test(row('MSG-013'), async () => {
  for (const model of ['model-a', 'model-b', 'model-d']) expect(typeof (await trace(model))).toBe('string');
  for (const model of ['model-c', 'vendor-flash-3']) expect(await trace(model)).toBeNull();
  expect((await client().chat.complete({ ...HELLO, model: 'model-a' })).reasoning).not.toBe('');
  expect((await client().chat.complete(HELLO)).reasoning).toBe('');
});

test(row('MSG-014'), async () => {
  const message = {
    role: 'assistant',
    content: 'Yes.',
    reasoning: 'SECRET',
    reasoning_content: 'SECRET',
  } as const;
  await client().chat.complete({ ...HELLO, messages: [HELLO.messages[0], message, HELLO.messages[0]] });
  expect(pick(last().body, 'messages', 1)).toEqual({ role: 'assistant', content: 'Yes.' });
});

test(row('MSG-015'), async () => {
  const answers = [
    { content: 'Yes.', reasoning_content: 'Hm.', reasoning: 'Hm.' },
    { content: 'Yes.', reasoning: 'Hm.' },
    { content: 'Yes.', reasoning_content: null, reasoning: 'Hm.' },
  ];
  for (const delta of answers) {
    await withServer(
      (socket) => stream(socket, [event(delta), event({}, 'stop')]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end).toMatchObject({ text: 'Yes.', reasoning: 'Hm.' });
      },
    );
  }
});

test(row('MSG-016'), async () => {
  const { json } = await ask({ model: 'model-b' });
  const message = pick(json, 'choices', 0, 'message');
  expect(pick(message, 'reasoning')).toBe(pick(message, 'reasoning_content'));
  expect(typeof pick(message, 'reasoning')).toBe('string');
});

test(row('MSG-017'), async () => {
  const response = await readResponse(
    client().chat.stream({
      ...HELLO,
      model: 'model-b',
      messages: [{ role: 'user', content: '[[sim:say=Yes.]]' }],
    }),
  );
  expect(textOf(response)).toBe('Yes.');
  expect(response.end?.text).toBe('Yes.');
  expect(textOf(response, 'reasoning')).toBe(response.end?.reasoning);
  expect(response.end?.reasoning).not.toBe('');
});

test(row('MSG-018'), async () => {
  const nothing = event(
    { role: 'assistant', content: null, tool_calls: [{ index: 0, ...CALL }] },
    'tool_calls',
  );
  for (const pieces of [[nothing], [event({ content: null }), ...answerOf('')]]) {
    await withServer(
      (socket) => stream(socket, pieces),
      async ({ upstream }) => expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe(''),
    );
  }
});
