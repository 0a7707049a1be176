import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { slackAsker } from './slack-asker.ts';
import {
  answersIn,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
} from './harness.ts';

/** Requests fit the model that gets them, and people can see what was left out. */
const folder = dataFolder();
let journey: JourneyHarness;
const { typed, ask, sentFor } = slackAsker(() => journey);

async function restart(modelFacts: 'all' | 'id'): Promise<void> {
  journey = await startJourneyHarness(folder.path);
  const { control } = journey.upstream;
  control.change({ modelFacts });
  control.setModel('model-c', { ready: false });
  control.setModel('model-d', { features: ['streaming'], maxOutput: 500 });
  control.setModel('model-e', { features: ['tools', 'streaming'] });
  control.setModel('vendor-flash-3', { context: 2_000 });
}

beforeAll(async () => {
  await restart('all');
  await typed('/parley settings temperature 0.3');
  await typed('/parley settings minP 0.1');
  await typed('/parley settings repetitionPenalty 1.2');
  await typed('/parley settings frequencyPenalty 2');
  await typed('/parley settings presencePenalty 0.5');
  await typed('/parley settings topP 0.9');
  await typed('/parley settings topK 40');
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** What every model honours, and what some models lack. */
const EVERY_MODEL = { temperature: 0.3, top_p: 0.9, top_k: 40 };
const PENALTIES = ['repetition_penalty', 'frequency_penalty', 'presence_penalty'];
const leftOut = (why: string): string[] =>
  /Left out for this model\*\\n([^"]*)/u.exec(why)?.[1]?.split(', ').toSorted() ?? [];

const schema = JSON.stringify({ type: 'object', properties: { title: { type: 'string' } } });

describe('settings', () => {
  test('that the model lacks are left out of the request, and `why` names them', async () => {
    await typed('/parley model model-a');
    const { answer, sent, why } = await ask('What is 20 + 3?');
    expect(answer).toContain('23');
    expect(sent).toMatchObject([{ status: 200, body: { model: 'model-a', ...EVERY_MODEL } }]);
    for (const name of PENALTIES) {
      expect(sent[0]?.body).not.toHaveProperty(name);
      expect(leftOut(why)).toContain(name);
    }
    expect(sent[0]?.body).not.toHaveProperty('min_p');
    expect(leftOut(why)).toContain('min_p');
  });

  test('that the model lacks in part are sent in part', async () => {
    await typed('/parley model model-b');
    const { sent, why } = await ask('What is 20 + 9?');
    const body = { ...EVERY_MODEL, repetition_penalty: 1.2, frequency_penalty: 2 };
    expect(sent).toMatchObject([{ status: 200, body }]);
    expect(leftOut(why)).toEqual(expect.arrayContaining(['min_p', 'presence_penalty']));
    expect(leftOut(why)).toHaveLength(2);
  });

  test('that the model has are sent', async () => {
    await typed('/parley model model-e');
    const { sent, why } = await ask('What is 20 + 4?');
    const body = { ...EVERY_MODEL, min_p: 0.1, repetition_penalty: 1.2, frequency_penalty: 2 };
    expect(sent).toMatchObject([{ status: 200, body: { ...body, presence_penalty: 0.5 } }]);
    expect(why).not.toContain('Left out');
  });
});

describe('a model without tools and structured outputs', () => {
  test('is sent no tools, which `why` names', async () => {
    await typed('/parley model model-d');
    const { answer, sent, why } = await ask('What is 20 + 8?');
    expect(answer).toContain('28');
    expect(sent).toMatchObject([{ status: 200 }]);
    expect(sent[0]?.body).not.toHaveProperty('tools');
    expect(leftOut(why)).toContain('tools');
  });

  test('gets a schema in words', async () => {
    await typed(`/parley schema save bug ${schema}`);
    const sent = await sentFor(() => typed('/parley ask schema:bug The login page is broken'));
    expect(sent[0]).toMatchObject({ status: 200, body: { model: 'model-d' } });
    expect(sent[0]?.body).not.toHaveProperty('response_format');
    expect(JSON.stringify(sent[0]?.body)).toContain('fits this JSON schema');
  });
});

test('a model with tools, but without structured outputs, has to call a tool with the schema', async () => {
  await typed('/parley model model-e');
  let card = '';
  const sent = await sentFor(async () => {
    card = await typed('/parley ask schema:bug The login page is broken');
  });
  expect(card).toContain('Only you see this');
  expect(sent).toMatchObject([
    {
      status: 200,
      body: { model: 'model-e', tool_choice: 'required', tools: [{ function: { name: 'bug' } }] },
    },
  ]);
  expect(sent[0]?.body).not.toHaveProperty('response_format');
});

test('prompt and answer fit into the context together: the thread is trimmed before the request', async () => {
  const { slack, system } = journey;
  await typed('/parley model vendor-flash-3');
  // The instructions count too, not only the thread and the question.
  await typed(`/parley settings instructions ${'Be kind and clear. '.repeat(100)} for:channel`);
  const filler = 'Some words about the sea and the sky. '.repeat(70);
  let thread: string | undefined;
  const sent = await sentFor(async () => {
    for (const count of [1, 2, 3]) {
      const ts = await slack.say('ada', `@parley [[sim:say=Yes.]] ${filler}`, thread ? { thread } : {});
      thread ??= ts;
      await answersIn(slack, thread, count);
      await queuesAreEmpty(system);
    }
  });
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('a question that does not fit into the context is refused before it is sent', async () => {
  await typed('/parley model vendor-flash-3');
  const { answer, sent } = await ask(
    `[[sim:say=Yes.]] ${'Some words about the sea and the sky. '.repeat(300)}`,
  );
  expect(sent).toEqual([]);
  expect(answer).toContain('longer than the context of the model');
});

test('the answer is at most as long as the model can make it', async () => {
  await typed('/parley model model-d');
  const { sent } = await ask('What is 20 + 11?');
  expect(sent).toMatchObject([{ status: 200, body: { max_tokens: 500 } }]);
});

test('a schema is sent as `json_schema` to a model of the vendor, and each tool has its parameters', async () => {
  await typed('/parley model vendor-edge-2603');
  const form = await sentFor(() => typed('/parley ask schema:bug The login page is broken'));
  expect(form).toMatchObject([{ status: 200, body: { response_format: { type: 'json_schema' } } }]);
  const { sent } = await ask('What is 20 + 12?');
  const parameters = expect.objectContaining({ type: 'object' });
  const tools = expect.arrayContaining([
    expect.objectContaining({ function: expect.objectContaining({ parameters }) }),
  ]);
  expect(sent).toMatchObject([{ body: { tools } }]);
});

test('a stand-in that is not ready is not asked, and `why` knows the model that answered', async () => {
  const { control } = journey.upstream;
  await typed('/parley model model-b');
  await typed('/parley settings standIns model-c, model-d');
  control.addFault({ fault: { kind: 'capacity', model: 'model-b' }, containing: '20 + 7', times: 1 });
  const { answer, sent, why } = await ask('What is 20 + 7?');
  expect(answer).toContain('27');
  expect(sent).toMatchObject([
    { status: 429, body: { model: 'model-b' } },
    { status: 200, body: { model: 'model-d' } },
  ]);
  expect(why).toContain('model-d');
});

describe('a server whose list says nothing of its models', () => {
  beforeAll(async () => {
    await journey.system.close();
    await restart('id');
    await typed('/parley model model-a');
  });

  test('gets the settings as they are, and once without each field that it rejects', async () => {
    const { answer, sent, why } = await ask('What is 20 + 5?');
    expect(answer).toContain('25');
    expect(sent.map(({ status }) => status)).toEqual([400, 400, 400, 400, 200]);
    expect(sent[0]?.body).toMatchObject({ min_p: 0.1, repetition_penalty: 1.2, temperature: 0.3 });
    expect(sent[4]?.body).toMatchObject(EVERY_MODEL);
    expect(leftOut(why)).toEqual(expect.arrayContaining(['min_p', ...PENALTIES]));
  });

  test('is not sent a rejected field again', async () => {
    const { sent, why } = await ask('What is 20 + 6?');
    expect(sent.map(({ status }) => status)).toEqual([200]);
    expect(why).toContain('Left out for this model');
  });
});
