import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { answersIn, dataFolder, type Journey, readBack, startJourney } from './system.ts';

const data = dataFolder();
let journey: Journey;

beforeAll(async () => {
  journey = await startJourney(data.path, { slack: { distribution: 'outside-marketplace' } });
}, 240_000);
afterAll(async () => {
  await journey.system.close();
  data.remove();
});

const lastAsked = (): string =>
  JSON.stringify(
    journey.upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'))?.body ?? '',
  );

/** People talk among themselves. */
async function talk(words: string): Promise<string> {
  const thread = await journey.slack.say('grace', words);
  await journey.slack.say('ada', 'Good to know.', { thread });
  return thread;
}

test('called into a thread that Slack does not let it read now, the bot says so, and reads it when it is asked again', async () => {
  const { slack } = journey;
  const first = await talk('The launch is on the 9th of May.');
  await slack.say('ada', '@parley When is the launch?', { thread: first });
  await answersIn(slack, first);
  expect(lastAsked()).toContain('9th of May');
  expect(readBack(journey, first).join('')).not.toContain('could not read');

  const second = await talk('The venue is the old mill.');
  await slack.say('ada', '@parley Where is it?', { thread: second });
  await answersIn(slack, second);
  expect(lastAsked()).not.toContain('old mill');
  expect(readBack(journey, second).join('')).toMatch(
    /could not read .* Slack lets me read here again in about \d+ s/su,
  );

  slack.core.allowHistoryReads();
  await slack.say('ada', '@parley And now?', { thread: second });
  await answersIn(slack, second, 2);
  expect(lastAsked()).toMatch(/grace: [^"]*old mill/su);
  expect(readBack(journey, second).at(-1)).not.toContain('could not read');
}, 60_000);

test('of a long thread it reads what Slack gives, and says that there is more', async () => {
  const { slack } = journey;
  const thread = await talk('No 0.');
  for (let n = 1; n < 20; n += 1) await slack.say('grace', `No ${n}.`, { thread });
  slack.core.allowHistoryReads();
  await slack.say('ada', '@parley What was said?', { thread });
  await answersIn(slack, thread);
  expect(lastAsked()).toMatch(/grace: No 0\..*grace: No 13\./su);
  expect(lastAsked()).not.toContain('No 14.');
  expect(readBack(journey, thread).join('')).toContain('only a few messages a minute: 15 were read');
}, 60_000);
