import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dataFolder, waitUntil, type JourneyHarness, startJourneyHarness } from './harness.ts';

/** The upstream must not generate and bill what nobody will read. */
const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, { upstream: { paceMs: 200 } });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const requestWith = (words: string) =>
  journey.upstream.journal.find(({ body }) => JSON.stringify(body ?? '').includes(words));

test.each([
  ['before the first word', 'the sky [[sim:late=20000]]'],
  ['in the middle of the answer', 'the sea [[sim:tokens=400]]'],
])('the connection is closed at once when the question is deleted %s', async (when, topic) => {
  const { slack } = journey;
  const question = `Tell me about ${topic}`;
  const ts = await slack.say('ada', `@parley ${question}`);
  await waitUntil(() => requestWith(question)?.ended === 'open');
  if (when.startsWith('in')) {
    const messages = () => [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
    await waitUntil(() => messages().some((one) => one.thread === ts && one.stream?.open === true));
  }
  const ada = slack.users.find(({ name }) => name === 'ada')?.id ?? '';
  slack.core.remove(ada, slack.channel, ts);
  await waitUntil(() => requestWith(question)?.ended !== 'open');
  expect(requestWith(question)?.ended).toBe('gone');
});
