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
  control.setModel('model-d', { features: ['streaming'] });
  control.setModel('vendor-flash-3', { context: 2_000 });
}

beforeAll(async () => {
  await restart('all');
  await typed('/parley settings temperature 0.3');
  await typed('/parley settings minP 0.1');
  await typed('/parley settings repetitionPenalty 1.2');
}, 240_000);
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const schema = JSON.stringify({ type: 'object', properties: { title: { type: 'string' } } });

describe('settings', () => {
  test('that the model lacks are left out of the request, and `why` names them', async () => {
    await typed('/parley model model-a');
    const { answer, sent, why } = await ask('What is 20 + 3?');
    expect(answer).toContain('23');
    expect(sent).toMatchObject([{ status: 200, body: { model: 'model-a', temperature: 0.3 } }]);
    expect(sent[0]?.body).not.toHaveProperty('min_p');
    expect(sent[0]?.body).not.toHaveProperty('repetition_penalty');
    expect(why).toMatch(/Left out for this model.*min_p, repetition_penalty/u);
  }, 30_000);

  test('that the model has are sent', async () => {
    await typed('/parley model model-e');
    const { sent, why } = await ask('What is 20 + 4?');
    expect(sent).toMatchObject([{ status: 200, body: { min_p: 0.1, repetition_penalty: 1.2 } }]);
    expect(why).not.toContain('Left out');
  }, 30_000);
});

describe('a model without tools and structured outputs', () => {
  test('is sent no tools', async () => {
    await typed('/parley model model-d');
    const { answer, sent } = await ask('What is 20 + 8?');
    expect(answer).toContain('28');
    expect(sent).toMatchObject([{ status: 200 }]);
    expect(sent[0]?.body).not.toHaveProperty('tools');
  }, 30_000);

  test('gets a schema in words', async () => {
    await typed(`/parley schema save bug ${schema}`);
    const sent = await sentFor(() => typed('/parley ask schema:bug The login page is broken'));
    expect(sent[0]).toMatchObject({ status: 200, body: { model: 'model-d' } });
    expect(sent[0]?.body).not.toHaveProperty('response_format');
    expect(JSON.stringify(sent[0]?.body)).toContain('fits this JSON schema');
  }, 30_000);
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
}, 30_000);

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
}, 30_000);

describe('a server whose list says nothing of its models', () => {
  beforeAll(async () => {
    await journey.system.close();
    await restart('id');
    await typed('/parley model model-a');
  }, 240_000);

  test('gets the settings as they are, and once without each field that it rejects', async () => {
    const { answer, sent, why } = await ask('What is 20 + 5?');
    expect(answer).toContain('25');
    expect(sent.map(({ status }) => status)).toEqual([400, 400, 200]);
    expect(sent[0]?.body).toMatchObject({ min_p: 0.1, repetition_penalty: 1.2, temperature: 0.3 });
    expect(sent[2]?.body).toMatchObject({ temperature: 0.3 });
    expect(why).toMatch(/Left out for this model.*min_p, repetition_penalty/u);
  }, 30_000);

  test('is not sent a rejected field again', async () => {
    const { sent, why } = await ask('What is 20 + 6?');
    expect(sent.map(({ status }) => status)).toEqual([200]);
    expect(why).toContain('Left out for this model');
  }, 30_000);
});
