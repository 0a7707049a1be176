import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DONE, event, USAGE } from '../upstream/raw-server.ts';
import { dataFolder } from './harness.ts';
import { RAW_KEY, RawModelServer, type Script, scriptedAsker } from './raw-model-server.ts';

// What people read when the server is not ours and sends something else than an answer: what happened, and what they can do.
const folder = dataFolder();
const server = new RawModelServer();
let journey: Awaited<ReturnType<RawModelServer['start']>>;

beforeAll(async () => {
  journey = await server.start(folder.path);
});
afterAll(async () => {
  await journey.close();
  folder.remove();
});

const askScripted = scriptedAsker(server, () => journey);
const TEXT = event({ content: 'All is well.' });
const STOP = event({}, 'stop', { usage: USAGE });

describe('people read what happened and what to do', () => {
  test.each<[string, ReturnType<Script>, RegExp]>([
    [
      'an error with status 200',
      { json: { detail: 'The model is loading' } },
      /internal error.*Ask again in a minute/su,
    ],
    [
      'a rejected key with status 200',
      { json: { error: { message: `Bad key ${RAW_KEY}`, code: 'invalid_api_key' } } },
      /rejected my API key.*tell the operator/su,
    ],
    ['empty choices', { json: { id: 'c-1', choices: [] } }, /cannot read.*Ask again/su],
    ['a login page', { text: '<!doctype html><title>Log in</title>' }, /cannot read.*tell the operator/su],
    [
      'a page of a firewall',
      { status: 403, text: '<html>Attention required</html>' },
      /cannot read.*tell the operator/su,
    ],
    [
      'a page of a proxy',
      { status: 502, text: '<html>502 Bad Gateway</html>' },
      /internal error.*Ask again/su,
    ],
    [
      'a page for a wrong address',
      { status: 404, text: '<html>404</html>' },
      /address of the model is wrong.*operator/su,
    ],
    [
      'an end without an answer',
      { events: [event({ content: '' }), STOP, DONE] },
      /without an answer\. Ask again/su,
    ],
  ])('%s', async (_, response, sentence) => {
    const { answer, why } = await askScripted(() => response);
    expect(answer).toMatch(sentence);
    expect(answer + why).not.toContain(RAW_KEY);
    expect(answer).not.toContain('<');
  });
});

test('a refusal of the model is its answer', async () => {
  const { answer } = await askScripted(() => ({
    events: [event({ refusal: 'I cannot help with that.' }), STOP, DONE],
  }));
  expect(answer).toBe('I cannot help with that.');
});

test('an answer whose end the server does not mark says that it is incomplete, and keeps its text', async () => {
  const { answer } = await askScripted(() => ({ events: [TEXT] }));
  expect(answer).toMatch(/All is well\..*interrupted/su);
});

test('an answer in one event of 100,000 characters is shown whole', async () => {
  const content = `${'word '.repeat(20_000)}end.`;
  const { answer } = await askScripted(() => ({ events: [event({ content }), STOP, DONE] }));
  expect(answer).toContain('word word');
  const { slack } = journey;
  const posted = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
  expect(JSON.stringify(posted)).toContain('end.');
});
