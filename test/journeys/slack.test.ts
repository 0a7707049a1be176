import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebClient } from '@slack/web-api';
import { sign } from '../simulators/slack/index.ts';
import { answersIn, botMessages, dataFolder, type JourneyHarness, startJourneyHarness } from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path);
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

describe('a Slack thread answered end to end', () => {
  test('a mention is answered in its thread, and a follow-up without a mention has the history, also after a restart', async () => {
    const thread = await journey.slack.say('ada', '@parley My name is Ada and I like figs. Remember that.');
    const [first] = await answersIn(journey.slack, thread);
    expect(first?.text).not.toBe('');
    expect(first?.metadata).toMatchObject({ event_payload: { turn: thread } });

    await journey.slack.say('ada', 'What is my name?', { thread });
    const second = (await answersIn(journey.slack, thread, 2)).at(-1);
    expect(second?.text).toContain('Ada');

    await journey.system.close();
    journey = await startJourneyHarness(folder.path);
    await journey.slack.say('ada', 'Once more, please: what is my name?', { thread });
    const third = (await answersIn(journey.slack, thread, 3)).at(-1);
    expect(third?.text).toContain('Ada');
  });

  test('messages in a channel or thread without the bot are ignored', async () => {
    const aside = await journey.slack.say('ada', 'Has anybody seen my umbrella?');
    await journey.slack.say('grace', 'It is at my place.', { thread: aside });
    const question = await journey.slack.say('grace', '@parley What is 2 + 2?');
    await answersIn(journey.slack, question);
    expect(botMessages(journey.slack, aside)).toEqual([]);
  });

  test('a direct message is a thread of its own', async () => {
    const dm = await journey.slack.say('grace', 'What is 6 * 7?', { channel: 'dm' });
    const grace = journey.slack.users.find(({ name }) => name === 'grace');
    const channels = [...journey.slack.core.state.channels.values()];
    const channel = channels.find(({ kind, members }) => kind === 'im' && members.includes(grace?.id ?? ''));
    const [answer] = await answersIn(journey.slack, dm, 1, channel?.id);
    expect(answer?.text).toContain('42');
  });

  test('questions that arrive during an answer are merged and answered once', async () => {
    const { slack } = journey;
    const thread = await slack.say(
      'ada',
      '@parley Tell me about the sea. [[sim:tokens=200]] [[sim:late=1500]]',
    );
    await slack.delivery.idle();
    await slack.say('grace', '@parley What is 10 + 10?', { thread });
    await slack.delivery.idle();
    await slack.say('ada', '@parley What is 100 + 100?', { thread });
    await answersIn(slack, thread, 2);
    await slack.delivery.idle();
    const [, second, ...more] = await answersIn(slack, thread, 2);
    expect(more).toEqual([]);
    expect(second?.metadata).toMatchObject({ event_payload: { turn: expect.any(String) } });
    const body = journey.upstream.journal.at(-1)?.body;
    expect(JSON.stringify(body)).toMatch(/10 \+ 10.*100 \+ 100/su);
  });

  test.each([
    ['error=500', /internal error/],
    ['error=404', /does not exist/],
    ['cut=6', /was interrupted/],
  ])(
    'when the upstream fails (%s), the person is told what happened and the question is kept',
    async (fault, words) => {
      const thread = await journey.slack.say('ada', `@parley What is 3 + 4? [[sim:${fault}]]`);
      const [notice] = await answersIn(journey.slack, thread);
      expect(notice?.text).toMatch(words);
      expect(notice?.text).not.toMatch(/at .*\.(ts|js):\d+|Error:/);
      await journey.slack.say('ada', 'What did I ask before?', { thread });
      const next = (await answersIn(journey.slack, thread, 2)).at(-1);
      expect(next?.text).toContain('What is 3 + 4?');
    },
  );
});

describe('another sender with the signing secret', () => {
  test('posts a message event, and reads the answer in its thread', async () => {
    const { local } = journey.system;
    const ts = '1700000000.000100';
    const body = JSON.stringify({
      type: 'event_callback',
      team_id: journey.slack.teamId,
      event_id: 'Ev0OUTSIDE0',
      event_time: 1_700_000_000,
      authorizations: [{ team_id: journey.slack.teamId, user_id: local.slack.botUserId, is_bot: true }],
      event: {
        type: 'app_mention',
        channel: local.slack.channel,
        user: local.slack.users[0]?.id,
        text: `<@${local.slack.botUserId}> What is 20 + 3?`,
        ts,
        event_ts: ts,
      },
    });
    const timestamp = Math.floor(Date.now() / 1000);
    const response = await fetch(`${local.api}/slack/events`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': String(timestamp),
        'x-slack-signature': sign(journey.slack.signingSecret, timestamp, body),
      },
      body,
    });
    expect(response.status).toBe(200);
    await answersIn(journey.slack, ts);
    const client = new WebClient(local.slack.botToken ?? '', { slackApiUrl: local.slack.apiUrl });
    // Outside of the Marketplace, the bot's own request for the files of the mention was the one of this minute.
    journey.slack.core.allowHistoryReads();
    const { messages } = await client.conversations.replies({ channel: journey.slack.channel, ts });
    expect(messages?.map(({ text }) => text)).toEqual([
      expect.stringContaining('20 + 3'),
      expect.stringContaining('23'),
    ]);
  });
});

// The last test, because this process sends nothing with the key from here on.
test('an API key that got a 401 is not sent again: the next question fails without a request', async () => {
  const { slack, upstream } = journey;
  const requests = () => upstream.journal.filter(({ path }) => path.endsWith('/chat/completions')).length;
  const before = requests();
  for (const question of ['What is 3 + 4? [[sim:error=401]]', 'What is 5 + 4?']) {
    const thread = await slack.say('ada', `@parley ${question}`);
    const [notice] = await answersIn(slack, thread);
    expect(notice?.text).toMatch(/API key/u);
  }
  expect(requests() - before).toBe(1);
});
