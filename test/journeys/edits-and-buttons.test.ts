import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Message } from '../simulators/slack/index.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  waitUntil,
  type JourneyHarness,
  postEvent,
  startJourneyHarness,
  queuesAreEmpty,
  contentOf,
} from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, { variables: { OTHER_MODELS: 'model-a' } });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** The visible text of a message: its blocks, or its text without blocks. */

/** Resolves once a message of the bot in the thread has this text. */
function reads(thread: string, words: RegExp): Promise<Message> {
  const { slack } = journey;
  return slack.core.until(() =>
    botMessages(slack, thread).find(
      (message) =>
        message.stream?.open !== true && words.test(contentOf(message)) && message.ephemeralTo === undefined,
    ),
  );
}

describe('edits, deletions and buttons in Slack', () => {
  test('an edited question is answered again in place', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', '@parley What is 2 + 3?');
    const [before] = await answersIn(slack, thread);
    expect(contentOf(before)).toContain('5');
    slack.core.edit(slack.users[0]?.id ?? '', slack.channel, thread, '@parley What is 20 + 30?');
    const after = await reads(thread, /50/);
    expect(after.ts).toBe(before?.ts);
    expect(botMessages(slack, thread)).toHaveLength(1);
  });

  test('a deleted question deletes its answer, also from the history', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', '@parley My name is Ada.');
    await answersIn(slack, thread);
    const secret = await slack.say('ada', 'My favourite number is 7391.', { thread });
    await answersIn(slack, thread, 2);
    slack.core.remove(slack.users[0]?.id ?? '', slack.channel, secret);
    await slack.core.until(() => (botMessages(slack, thread).length === 1 ? true : undefined));
    // Slack redelivers an earlier edit late: that is not a new question.
    const text = `<@${slack.botUserId}> My favourite number is 7391.`;
    const message = { type: 'message', user: slack.users[0]?.id, ts: secret, thread_ts: thread, text };
    const edited = { ...message, edited: { user: message.user, ts: `${secret.slice(0, -1)}9` } };
    const expectedNotice = {
      type: 'message',
      subtype: 'message_changed',
      channel: slack.channel,
      channel_type: 'channel',
    };
    await queuesAreEmpty(journey.system);
    await postEvent(journey, {
      ...expectedNotice,
      ts: edited.edited.ts,
      message: edited,
      previous_message: { ...message, text: 'My' },
    });
    await queuesAreEmpty(journey.system);
    expect(botMessages(slack, thread)).toHaveLength(1);
    await slack.say('ada', 'What did I ask before?', { thread });
    await answersIn(slack, thread, 2);
    expect(JSON.stringify(journey.upstream.journal.at(-1)?.body)).not.toContain('7391');
  });

  test('Regenerate answers again in place, only for the asker', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', '@parley What is 4 + 4?');
    const [answer] = await answersIn(slack, thread);
    const requests = journey.upstream.journal.length;
    await slack.press('grace', answer?.ts ?? '', 'Regenerate');
    const refusal = await slack.core.until(() =>
      botMessages(slack, thread).find(({ ephemeralTo }) => ephemeralTo !== undefined),
    );
    expect(contentOf(refusal)).toMatch(/Only the person who asked/);
    await slack.press('ada', answer?.ts ?? '', 'Ask model-a');
    await waitUntil(() => journey.upstream.journal.length > requests);
    expect(journey.upstream.journal.at(-1)?.body).toMatchObject({ model: 'model-a' });
    await slack.delivery.idle();
    expect(botMessages(slack, thread).filter(({ ephemeralTo }) => ephemeralTo === undefined)).toHaveLength(1);
  });

  test('Stop ends the answer, and shows that it was stopped', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', '@parley Tell me everything. [[sim:tokens=4000]] [[sim:slow=20]]');
    await slack.core.until(() => (botMessages(slack, thread)[0]?.text ? true : undefined));
    await slack.stop('ada', thread);
    const stopped = await reads(thread, /Stopped after/);
    expect(contentOf(stopped).length).toBeLessThan(6_000);
    await waitUntil(() => journey.upstream.journal.at(-1)?.ended === 'gone');
    const sessions = () => [...slack.core.state.sessions.values()];
    await slack.core.until(() => sessions().find((one) => one.thread === thread && one.status === 'active'));
  });

  test('a mention in a thread of other people includes their messages', async () => {
    const { slack } = journey;
    const thread = await slack.say('grace', 'The launch is on the 9th of May.');
    await slack.say('ada', 'And the venue is the old mill.', { thread });
    slack.core.allowHistoryReads();
    await slack.say('ada', '@parley When is the launch?', { thread });
    await answersIn(slack, thread);
    expect(JSON.stringify(journey.upstream.journal.at(-1)?.body)).toMatch(
      /grace: [^"]*9th of May.*old mill/su,
    );
  });

  test('the question includes the content of a text file', async () => {
    const { slack } = journey;
    const files = [{ name: 'notes.txt', content: 'The password of the door is swordfish.' }];
    const thread = await slack.say('ada', '@parley What does the file say?', { files });
    const [answer] = await answersIn(slack, thread);
    expect(contentOf(answer)).not.toMatch(/failed|left out/u);
    expect(JSON.stringify(journey.upstream.journal.at(-1)?.body)).toContain('swordfish');
  });
});
