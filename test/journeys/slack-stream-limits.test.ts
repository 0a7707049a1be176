import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Message } from '../simulators/slack/index.ts';
import {
  botMessages,
  dataFolder,
  type JourneyHarness,
  visibleTexts,
  startJourneyHarness,
} from './harness.ts';

/** Instead of five minutes. */
const SEALED_AFTER_MS = 1_500;
/** Instead of a minute: all answers are in one window, however slow the machine is. */
const TIER_WINDOW_MS = 600_000;

const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  const slack = { enforceTiers: true, tierWindowMs: TIER_WINDOW_MS, sealAfterMs: SEALED_AFTER_MS };
  journey = await startJourneyHarness(folder.path, { slack });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** Resolves with the messages of an answer once its buttons are shown. */
const finished = (thread: string): Promise<Message[]> =>
  journey.slack.core.until(() => {
    const messages = botMessages(journey.slack, thread);
    return JSON.stringify(messages.at(-1)?.blocks ?? []).includes('parley:regenerate') ? messages : undefined;
  });

test('an answer is complete and posted once when Slack closes its stream early', async () => {
  const { slack } = journey;
  const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(' ');
  const thread = await slack.say('ada', `@parley [[sim:say=${words}]] [[sim:slow=10]]`);
  expect(await finished(thread)).toHaveLength(1);
  const outcomes = slack.calls.map(({ method, outcome }) => `${method} ${outcome}`);
  expect(outcomes).toContainEqual(expect.stringMatching(/Stream .*message_not_in_streaming_state/u));
  expect(visibleTexts(journey, thread)).toEqual([words]);
});

test('answers are posted once each when the stream rate limit is reached', async () => {
  const { slack } = journey;
  const threads: string[] = [];
  for (let n = 0; n < 24; n += 1) {
    threads.push(await slack.say(n % 2 ? 'ada' : 'grace', `@parley What is ${n} + 1000?`, { channel: 'dm' }));
  }
  const answers = () =>
    [...slack.core.state.messages.values()]
      .flatMap((messages) => [...messages.values()])
      .filter(({ user, thread }) => user === slack.botUserId && threads.includes(thread ?? ''));
  const whole = await slack.core.until(() => {
    const all = answers();
    return all.filter(({ blocks }) => JSON.stringify(blocks ?? []).includes('parley:regenerate')).length ===
      24
      ? all
      : undefined;
  });
  expect(whole).toHaveLength(24);
  const starts = slack.calls.filter(({ method }) => method === 'chat.startStream');
  expect(starts.filter(({ outcome }) => outcome === 'ok').length).toBeLessThanOrEqual(20);
  expect(slack.calls.some(({ method, outcome }) => method === 'chat.postMessage' && outcome === 'ok')).toBe(
    true,
  );
});
