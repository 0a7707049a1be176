import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { slackAsker } from './slack-asker.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
} from './harness.ts';

/** The whole bot on a server with the legacy shape. */
const folder = dataFolder();
let journey: JourneyHarness;
const { typed, ask, why } = slackAsker(() => journey);

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, { variables: { UPSTREAM_SHAPE: 'legacy' } });
  await typed('/parley model vendor-flash');
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const chatRequests = () => journey.upstream.journal.filter(({ path }) => path.endsWith('/chat/completions'));

test('a question is answered by a stream, with usage, in the legacy shape', async () => {
  const { answer, sent, why: card } = await ask('What is 20 + 3? [[sim:say=The sum is 23.]]');
  expect(answer).toContain('23');
  expect(sent).toMatchObject([
    { status: 200, body: { model: 'vendor-flash', stream: true, max_tokens: 4096 } },
  ]);
  const [request] = sent;
  // The instructions are in the first message, because the shape has no system role.
  expect(request?.body).toMatchObject({ messages: [{ role: 'user' }] });
  expect(JSON.stringify(request?.body)).toContain('You are Parley');
  for (const field of ['stream_options', 'reasoning_effort', 'response_format', 'logprobs', 'temperature'])
    expect(request?.body).not.toHaveProperty(field);
  expect(chatRequests().at(-1)?.headers).toMatchObject({ 'x-api-key': '(kept out)' });
  expect(chatRequests().at(-1)?.headers['authorization']).toBeUndefined();
  expect(card).toMatch(/[1-9]\d* in, [1-9]\d* out/u);
  expect(card).not.toContain('estimated');
});

test('a thread has its memory, and the tools of the bot are called', async () => {
  const { slack, system } = journey;
  const files = [{ name: 'notes.txt', content: `${'Nothing here.\n'.repeat(2_000)}The door code is 4711.` }];
  const thread = await slack.say('ada', '@parley My name is Ada. What is the door code?', { files });
  await answersIn(slack, thread);
  await queuesAreEmpty(system);
  expect(chatRequests().at(-1)?.body).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
  });
  await slack.say('ada', '@parley What is my name? [[sim:say=It is Ada.]]', { thread });
  await answersIn(slack, thread, 2);
  await queuesAreEmpty(system);
  expect(botMessages(slack, thread).at(-1)?.text).toContain('It is Ada');
  expect(JSON.stringify(chatRequests().at(-1)?.body)).toMatch(/My name is Ada.*What is my name/su);
});

test('a schema is that of a tool that the model has to call', async () => {
  const schema = { type: 'object', properties: { title: { type: 'string' } } };
  await typed(`/parley schema save bug ${JSON.stringify(schema)}`);
  expect(await typed('/parley ask schema:bug The login page is broken')).toContain('Only you see this');
  expect(chatRequests().at(-1)).toMatchObject({
    status: 200,
    body: { tool_choice: 'tool', tools: [{ name: 'bug', parameters: schema }] },
  });
});

test('settings that the shape lacks are left out, and `why` names them', async () => {
  await typed('/parley settings minP 0.1');
  await typed('/parley settings temperature 0.2');
  const { sent, why: card } = await ask('What is 20 + 4?');
  expect(sent).toMatchObject([{ status: 200, body: { temperature: 0.2 } }]);
  expect(card).toMatch(/Left out for this model.*min_p/u);
});

test('an error of this shape (422) is told, and `why` has status, field and request id', async () => {
  const { slack, system } = journey;
  await typed('/parley model vendor-flash');
  journey.upstream.control.addFault({
    fault: { kind: 'error', status: 422, message: 'no', code: 'value_error' },
    containing: 'Fail, please',
    times: 1,
  });
  const thread = await slack.say('ada', '@parley Fail, please');
  await answersIn(slack, thread);
  await queuesAreEmpty(system);
  const [answer] = botMessages(slack, thread);
  expect(answer?.text).toContain('did not accept this question');
  expect(await why(answer?.ts ?? '')).toMatch(/HTTP 422.*req_/u);
});
