import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_IDENTITY } from '../simulators/slack/identity.ts';
import type { Message } from '../simulators/slack/index.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  contentWithSteps,
} from './harness.ts';

const HANS = { id: 'U0HANS0000', name: 'hans', realName: 'Hans', locale: 'de-DE' };
const EMI = { id: 'U0EMI00000', name: 'emi', realName: 'Emi', locale: 'ja-JP' };
const MIXED = {
  id: 'C0MIXED000',
  name: 'mixed',
  kind: 'channel' as const,
  members: ['U0ADA00000', HANS.id, EMI.id, DEFAULT_IDENTITY.botUserId],
};

const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, {
    variables: { OTHER_MODELS: 'model-a,model-b' },
    slack: {
      identity: {
        users: [...DEFAULT_IDENTITY.users, HANS, EMI],
        // An app without the event subscription for Slack's own Stop must offer a button.
        subscriptions: DEFAULT_IDENTITY.subscriptions.filter((name) => name !== 'agent_session_stopped'),
      },
      channels: [MIXED],
    },
  });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** The answer of a thread once its buttons are shown. */
const finished = (thread: string): Promise<Message> =>
  journey.slack.core.until(() =>
    botMessages(journey.slack, thread, MIXED.id).find((one) =>
      contentWithSteps(one).includes('parley:regenerate'),
    ),
  );

const ask = (who: string, words: string) => journey.slack.say(who, words, { channel: MIXED.id });

describe('the bot uses the language of the asker', () => {
  test.each([
    ['hans', /Frag mich etwas/u],
    ['emi', /質問する/u],
    ['ada', /Ask me something/u],
  ])('to a bare mention of %s', async (who, greeting) => {
    const thread = await ask(who, '@parley');
    const [answer] = await answersIn(journey.slack, thread, 1, MIXED.id);
    expect(contentWithSteps(answer)).toMatch(greeting);
  });

  test('in buttons and steps of an answer, and the language of another person who clicks one', async () => {
    const { slack } = journey;
    const thread = await ask('hans', '@parley What is 2 + 2? [[sim:reasoning=60]]');
    const answer = await finished(thread);
    expect(contentWithSteps(answer)).toMatch(/Neu generieren.*model-a fragen.*Gute Antwort/u);
    await slack.press('hans', answer.ts, 'model-a fragen', MIXED.id);
    await slack.core.until(() =>
      botMessages(slack, thread, MIXED.id).find((one) =>
        // The steps are shown before the buttons.
        [/nachgedacht · \d+ Tokens/u, /Neu generieren/u].every((part) => part.test(contentWithSteps(one))),
      ),
    );
    await slack.press('emi', answer.ts, 'Neu generieren', MIXED.id);
    const notice = await slack.core.until(() =>
      [...(slack.core.state.messages.get(MIXED.id)?.values() ?? [])].find(
        ({ ephemeralTo }) => ephemeralTo === EMI.id,
      ),
    );
    expect(notice.text).toContain('質問した人だけ');
  });

  test('in its status, its Stop button and its final note', async () => {
    const { slack } = journey;
    const thread = await ask(
      'hans',
      `@parley [[sim:say=${'Wort '.repeat(400)}]] [[sim:slow=60]] [[sim:late=400]]`,
    );
    const stop = await slack.core.until(() =>
      botMessages(slack, thread, MIXED.id).find((one) => contentWithSteps(one).includes('"Stopp"')),
    );
    await slack.press('hans', stop.ts, 'Stopp', MIXED.id);
    expect(contentWithSteps(await finished(thread))).toMatch(/_Nach etwa \d+ Tokens gestoppt\._/u);
    const statuses = slack.calls.filter(({ method }) => method === 'assistant.threads.setStatus');
    expect(statuses.map(({ args }) => args['status'])).toContain('denkt nach…');
  });

  test('in the note about an omitted file', async () => {
    const files = [{ name: 'letter_2.docx', content: 'PK\x03\x04....word/document.xml' }];
    const thread = await journey.slack.say('hans', '@parley What does it say?', { channel: MIXED.id, files });
    expect(contentWithSteps(await finished(thread))).toContain(
      'Ich habe `letter_2.docx` weggelassen: Es ist eine Datei im Format Word',
    );
  });

  test('in an error message', async () => {
    const thread = await ask('emi', '@parley [[sim:error=500]]');
    expect(contentWithSteps(await finished(thread))).toContain('モデル側で内部エラーが起きました');
  });
});
