import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PICTURES } from '../image-files/pictures.ts';
import { data } from '../upstream/raw-server.ts';
import { dataFolder } from './harness.ts';
import { RAW_KEY, RawModelServer, scriptedAsker, type Script } from './raw-model-server.ts';
import { slackAsker } from './slack-asker.ts';

// The whole bot on a server of hand-written bytes that speaks the legacy shape.
const folder = dataFolder();
const server = new RawModelServer();
let journey: Awaited<ReturnType<RawModelServer['start']>>;
const { typed } = slackAsker(() => journey);
const askScripted = scriptedAsker(server, () => journey);

beforeAll(async () => {
  const model = { id: 'vendor-flash', input_modalities: ['text', 'image'], supported_features: ['tools'] };
  server.models = { data: [model] };
  journey = await server.start(folder.path, { UPSTREAM_SHAPE: 'legacy', UPSTREAM_MODEL: 'vendor-flash' });
});
afterAll(async () => {
  await journey.close();
  folder.remove();
});

type Delta = { readonly content?: string; readonly tool_calls?: readonly object[] };
const chunk = (delta: Delta, finish: string | null = null, output = 1) =>
  data({
    id: 'c-1',
    model: 'vendor-flash',
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: { input_tokens: 7, output_tokens: output },
  });
const answerChunks = (text: string, finish = 'stop') => [chunk({ content: text }), chunk({}, finish, 5)];
const streamOf =
  (...events: string[]): Script =>
  () => ({ events });

test('a question has the instructions in its first user message, the key in X-Api-Key, and no defaults of ours', async () => {
  const { answer, requests, facts } = await askScripted(streamOf(...answerChunks('All is well.')));
  expect(answer).toBe('All is well.');
  expect(requests).toHaveLength(1);
  const [request] = requests;
  expect(request?.path).toBe('/v1/chat/completions');
  const content = expect.stringMatching(/You are Parley.*Tell me about/su);
  expect(request?.body).toEqual({
    model: 'vendor-flash',
    messages: [{ role: 'user', content }],
    max_tokens: 4096,
    stream: true,
  });
  const { headers } = server.requests.findLast(({ path }) => path === request?.path) ?? {};
  expect(headers).toMatchObject({ 'x-api-key': RAW_KEY });
  expect(headers).not.toHaveProperty('authorization');
  // Each chunk has the usage: the last one counts.
  expect(facts).toMatchObject({ Tokens: '7 in, 5 out, of those 0 reasoning', Ended: 'stop' });
});

test('settings are sent while they are set', async () => {
  const settings = { frequencyPenalty: 0.5, presencePenalty: -0.5, temperature: 0.2, topK: 30, topP: 0.9 };
  for (const [name, value] of Object.entries(settings)) await typed(`/parley settings ${name} ${value}`);
  const { requests } = await askScripted(streamOf(...answerChunks('All is well.')));
  expect(requests).toMatchObject([
    { body: { frequency_penalty: 0.5, presence_penalty: -0.5, temperature: 0.2, top_k: 30, top_p: 0.9 } },
  ]);
  for (const name of Object.keys(settings)) await typed(`/parley settings ${name} reset`);
  const after = await askScripted(streamOf(...answerChunks('All is well.')));
  const fields = ['max_tokens', 'messages', 'model', 'stream'];
  expect(Object.keys(after.requests[0]?.body ?? {}).toSorted()).toEqual(fields);
});

test('seed and stop words are sent, the latter as a list', async () => {
  await typed('/parley settings seed 7');
  await typed('/parley settings stop END');
  const { requests } = await askScripted(streamOf(...answerChunks('All is well.')));
  expect(requests).toMatchObject([{ body: { seed: 7, stop: ['END'] } }]);
  await typed('/parley settings seed reset');
  await typed('/parley settings stop reset');
});

test('a tool is described flat, called with an object, and its result names the call', async () => {
  const files = [{ name: 'notes.txt', content: `${'Nothing here.\n'.repeat(2_000)}The door code is 4711.` }];
  const call = { id: 'call-1', name: 'read_file', parameters: { file: 'notes.txt', from: 1 } };
  const { answer, requests } = await askScripted(
    (nth) => ({
      events: nth === 1 ? [chunk({ tool_calls: [call] }, 'stop')] : answerChunks('It is 4711.'),
    }),
    { files },
  );
  expect(answer).toContain('It is 4711.');
  expect(requests[0]?.body).toMatchObject({
    tools: expect.arrayContaining([
      { name: 'read_file', description: expect.any(String), parameters: expect.any(Object) },
    ]),
  });
  const [asks, calls, result] = requests[1]?.body.messages ?? [];
  expect(asks).toMatchObject({ role: 'user' });
  expect(calls).toMatchObject({ role: 'assistant', tool_calls: [call] });
  expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call-1', content: expect.any(String) });
});

test('a picture is sent with its URL as a string, beside the text', async () => {
  const files = [{ name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64') }];
  const { requests } = await askScripted(streamOf(...answerChunks('A sea.')), { files });
  expect(requests[0]?.body.messages).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'text', text: expect.stringContaining('You are Parley') },
        { type: 'text', text: expect.stringContaining('Tell me about') },
        { type: 'image_url', image_url: expect.stringMatching(/^data:image\/png;base64,/u) },
      ],
    },
  ]);
});

describe('an answer', () => {
  test('that ended because the context is full is not taken for a whole one', async () => {
    const { answer, facts } = await askScripted(streamOf(...answerChunks('All is', 'context')));
    expect(answer).toContain('All is');
    expect(answer).not.toBe('All is');
    expect(facts).toMatchObject({ Ended: 'context' });
  });

  test('that comes whole instead of as a stream is shown', async () => {
    const json = {
      model: 'vendor-flash',
      choices: [{ index: 0, message: { role: 'assistant', content: 'All is well.' }, finish_reason: null }],
      usage: { input_tokens: 7, output_tokens: 5 },
    };
    const { answer, facts } = await askScripted(() => ({ json }));
    expect(answer).toContain('All is well.');
    expect(facts).toMatchObject({ Tokens: '7 in, 5 out, of those 0 reasoning' });
  });
});

test.each([
  [
    'a list of details',
    { detail: [{ loc: ['body', 'stop'], msg: 'not a list', type: 'list_type' }] },
    /HTTP 422.*stop/u,
  ],
  [
    'an error object',
    { error: { message: 'not a list', type: 'x', code: 'bad', param: 'stop' } },
    /HTTP 422.*bad.*stop/u,
  ],
])('a 422 with %s is sent once, and `why` names the field', async (_, json, failure) => {
  const { answer, facts, requests } = await askScripted(() => ({ status: 422, json }));
  expect(requests).toHaveLength(1);
  expect(answer).toContain('did not accept this question');
  expect(facts['Failure']).toMatch(failure);
});
