import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  answersIn,
  dataFolder,
  type JourneyHarness,
  visibleTexts,
  startJourneyHarness,
  lastCompletionRequest,
} from './harness.ts';

const data = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(data.path, { slack: { distribution: 'outside-marketplace' } });
});
afterAll(async () => {
  await journey.system.close();
  data.remove();
});

/** Messages without a mention. */
async function talk(words: string): Promise<string> {
  const thread = await journey.slack.say('grace', words);
  await journey.slack.say('ada', 'Good to know.', { thread });
  return thread;
}

test('the bot reports a thread that Slack does not let it read now, and reads it with the next question', async () => {
  const { slack } = journey;
  const first = await talk('The launch is on the 9th of May.');
  await slack.say('ada', '@parley When is the launch?', { thread: first });
  await answersIn(slack, first);
  expect(lastCompletionRequest(journey)).toContain('9th of May');
  expect(visibleTexts(journey, first).join('')).not.toContain('could not read');

  const second = await talk('The venue is the old mill.');
  await slack.say('ada', '@parley Where is it?', { thread: second });
  await answersIn(slack, second);
  expect(lastCompletionRequest(journey)).not.toContain('old mill');
  expect(visibleTexts(journey, second).join('')).toMatch(
    /could not read .* Slack lets me read here again in about \d+ s/su,
  );

  slack.core.allowHistoryReads();
  await slack.say('ada', '@parley And now?', { thread: second });
  await answersIn(slack, second, 2);
  expect(lastCompletionRequest(journey)).toMatch(/grace: [^"]*old mill/su);
  expect(visibleTexts(journey, second).at(-1)).not.toContain('could not read');
});

test('the bot reads the part of a long thread that Slack returns, and says that there is more', async () => {
  const { slack } = journey;
  const thread = await talk('No 0.');
  for (let n = 1; n < 20; n += 1) await slack.say('grace', `No ${n}.`, { thread });
  slack.core.allowHistoryReads();
  await slack.say('ada', '@parley What was said?', { thread });
  await answersIn(slack, thread);
  expect(lastCompletionRequest(journey)).toMatch(/grace: No 0\..*grace: No 13\./su);
  expect(lastCompletionRequest(journey)).not.toContain('No 14.');
  expect(visibleTexts(journey, thread).join('')).toContain('only a few messages a minute: 15 were read');
});
