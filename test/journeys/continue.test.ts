import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, GENERAL } from '../simulators/discord/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import { button, type DiscordHarness, type VisibleMessage, startDiscordHarness } from './discord-harness.ts';
import { botMessages, contentWithSteps, lastCompletionRequest } from './harness.ts';

let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({ variables: { OTHER_MODELS: 'model-b' } });
});
afterAll(() => harness.close());

/** Some seconds of text, with an immediate start. */
const LONG = 'Tell me everything. [[sim:tokens=2000]] [[sim:slow=20]]';
const BROKEN = '[[sim:say=one two three four five six]] [[sim:cut=4]]';
const STOPPED_NOTICE = /Stopped after/u;
const BROKEN_NOTICE = /was interrupted/u;

/** The last request for an answer, as JSON. */

/** The only message of an answer in Slack, once it is complete and passes this test. */
const finishedInSlack = (thread: string, passes: (text: string) => boolean): Promise<Message> =>
  harness.journey().slack.core.until(() => {
    const [first, ...more] = botMessages(harness.journey().slack, thread);
    const text = contentWithSteps(first);
    return more.length === 0 && text.includes('parley:regenerate') && passes(text) ? first : undefined;
  });

/** An answer in Discord, once it is complete and passes this test. */
const finishedInDiscord = (passes: (answer: VisibleMessage) => boolean): Promise<VisibleMessage> =>
  harness
    .discord()
    .core.until(() =>
      harness
        .visibleMessages(ADA)
        .findLast((answer) => button(answer.one, 'press.regenerate') !== '' && passes(answer)),
    );

/** Clicks Continue below an answer in Slack; resolves with the answer once the notice is gone. */
async function continueInSlack(thread: string, notice: RegExp) {
  const early = await finishedInSlack(thread, (text) => notice.test(text) && text.includes('Continue'));
  await harness.journey().slack.press('ada', early.ts, 'Continue');
  return { early, whole: await finishedInSlack(thread, (text) => !notice.test(text)) };
}

async function continueInDiscord(notice: RegExp) {
  const early = await finishedInDiscord(({ text }) => notice.test(text));
  await harness.discord().press('ada', early.id, button(early.one, 'press.continue'));
  return {
    early,
    whole: await finishedInDiscord(({ id, text }) => id === early.id && !notice.test(text)),
  };
}

describe('Continue is offered, and extends the answer in place', () => {
  test('in Slack after Stop', async () => {
    const { slack } = harness.journey();
    const thread = await slack.say('ada', `@parley ${LONG}`);
    await slack.core.until(() => (botMessages(slack, thread)[0]?.text ? true : undefined));
    await slack.stop('ada', thread);
    const { early, whole } = await continueInSlack(thread, STOPPED_NOTICE);
    expect(whole.ts).toBe(early.ts);
    expect(whole.text).toMatch(
      /[a-z] and so on\. Here the practice model goes on|[.:] Here the practice model goes on/u,
    );
    expect(lastCompletionRequest(harness.journey())).toContain('Go on exactly where you stopped');
    expect(lastCompletionRequest(harness.journey())).not.toMatch(STOPPED_NOTICE);
  });

  test('in Slack after an interrupted stream', async () => {
    const thread = await harness.journey().slack.say('ada', `@parley ${BROKEN}`);
    const { early, whole } = await continueInSlack(thread, BROKEN_NOTICE);
    expect(whole).toMatchObject({ ts: early.ts, text: expect.stringMatching(/^one two/u) });
    expect(lastCompletionRequest(harness.journey())).not.toMatch(BROKEN_NOTICE);
  });

  test('in Discord after Stop', async () => {
    await harness.discord().slash('ada', GENERAL, 'ask', { question: LONG });
    const writing = await harness
      .discord()
      .core.until(() => harness.visibleMessages(ADA).findLast(({ one }) => button(one, 'press.stop') !== ''));
    await harness.discord().press('ada', writing.id, button(writing.one, 'press.stop'));
    const { early, whole } = await continueInDiscord(STOPPED_NOTICE);
    expect(whole.id).toBe(early.id);
    expect(lastCompletionRequest(harness.journey())).not.toMatch(STOPPED_NOTICE);
  });

  test('in Discord after an interrupted stream', async () => {
    await harness.discord().slash('ada', GENERAL, 'ask', { question: BROKEN });
    const { whole } = await continueInDiscord(BROKEN_NOTICE);
    expect(whole.text).toContain('one two');
    expect(lastCompletionRequest(harness.journey())).not.toMatch(BROKEN_NOTICE);
  });
});

test('in Discord an old button for another model names who locked the model, and sends no model request', async () => {
  const discord = harness.discord();
  const allText = () => JSON.stringify(harness.visibleMessages(ADA).map(({ one }) => one));
  const set = (options: Readonly<Record<string, string | boolean>>) =>
    discord.slash('ada', GENERAL, 'settings', { name: 'model', for: 'workspace', ...options });
  await discord.slash('ada', GENERAL, 'ask', { question: '[[sim:say=A first answer.]]' });
  const answer = await finishedInDiscord(({ text }) => text.includes('A first answer.'));
  await set({ value: 'model-a', lock: 'it is paid for' });
  await discord.core.until(() => (allText().includes('it is paid for') ? true : undefined));
  const requestBody = lastCompletionRequest(harness.journey());
  await discord.press('ada', answer.id, button(answer.one, 'model-b'));
  const notice = await harness.once(ADA, /model-b.*may not be used here, only .*model-a/u);
  expect(JSON.stringify(notice.one)).toContain('it is paid for');
  expect(lastCompletionRequest(harness.journey())).toBe(requestBody);
});
