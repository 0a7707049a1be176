import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_IDENTITY } from '../simulators/slack/identity.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { writeWav } from '../simulators/upstream/speech/wav.ts';
import {
  answersIn,
  botMessages,
  channelOf,
  dataFolder,
  type JourneyHarness,
  postEvent,
  visibleTexts,
  startJourneyHarness,
} from './harness.ts';

const EVE = { id: 'U0EVE00000', name: 'eve', realName: 'Eve', teamId: 'T0OTHER000' };
const SHARED = {
  id: 'C0SHARED00',
  name: 'shared',
  kind: 'channel' as const,
  members: ['U0ADA00000', EVE.id, DEFAULT_IDENTITY.botUserId],
  connected: [EVE.teamId],
};

const folder = dataFolder();
let journey: JourneyHarness;
let mentions = 0;
const release = Promise.withResolvers<void>();

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, {
    echo: (line) => line.includes('slack.channel-gone') && release.resolve(),
    variables: { SLACK_ALLOWED_BOTS: 'B0FRIEND00' },
    slack: {
      identity: { users: [...DEFAULT_IDENTITY.users, EVE] },
      channels: [SHARED],
      // The two events of a mention arrive in both orders, each twice.
      mentionFirst: () => (mentions += 1) % 2 === 0,
      copies: 2,
    },
  });
  // Before the front reads the setting, which it caches for half a minute.
  const { slack } = journey;
  const lab = channelOf(journey, 'lab');
  await slack.command('ada', '/parley settings bots B0NEWS0000 for:channel', lab);
  await slack.core.until(() => [...(slack.core.state.messages.get(lab)?.values() ?? [])][0]);
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** Another bot mentions this one. */
const asks = (bot: string, ts: string, more: object = {}) =>
  postEvent(journey, {
    type: 'message',
    channel_type: 'channel',
    channel: journey.slack.channel,
    user: bot.replace('B0', 'U0'),
    bot_id: bot,
    text: `<@${journey.slack.botUserId}> What is 40 + 2?`,
    ts,
    event_ts: ts,
    ...more,
  });

describe('the bot in each type of channel', () => {
  test.each(['general', 'lab', 'shared', 'mpim'])(
    'mentions in %s are answered once, whatever order their events come in, and so are follow-ups',
    async (name) => {
      const { slack } = journey;
      const channel = channelOf(journey, name);
      for (const [who, sum] of [
        ['ada', 11],
        [name === 'shared' ? 'eve' : 'grace', 12],
      ] as const) {
        const thread = await slack.say(who, `@parley What is ${sum} + 1?`, { channel });
        await answersIn(slack, thread, 1, channel);
        await slack.say('ada', `And what is ${sum} + 2?`, { channel, thread });
        await answersIn(slack, thread, 2, channel);
        await slack.delivery.idle();
        expect(visibleTexts(journey, thread, channel)).toEqual([
          expect.stringContaining(String(sum + 1)),
          expect.stringContaining(String(sum + 2)),
        ]);
      }
    },
  );

  test('streams to a person of another organization with the team id of that organization', async () => {
    const channel = channelOf(journey, 'shared');
    for (const who of ['eve', 'ada']) {
      const says = 'What is said to them is long enough to be shown before it is complete. ';
      const thread = await journey.slack.say(who, `@parley [[sim:say=${says}]]`, { channel });
      await answersIn(journey.slack, thread, 1, channel);
    }
    const starts = journey.slack.calls.filter(({ method }) => method === 'chat.startStream');
    const recipients = starts.map(({ args }) => [args['recipient_user_id'], args['recipient_team_id']]);
    expect(recipients).toContainEqual([EVE.id, EVE.teamId]);
    expect(recipients).toContainEqual(['U0ADA00000', journey.slack.teamId]);
    expect(starts.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  });

  test('reads files and transcribes recordings of another organization, of which Slack sends only the id', async () => {
    const { slack, upstream } = journey;
    const files = [
      { name: 'plan.txt', content: 'The mill is at the river.' },
      { name: 'clip.wav', content: writeWav(speakDigits([4, 7], { rate: 16_000 }), 16_000) },
    ];
    const channel = SHARED.id;
    const thread = await slack.say('eve', '@parley Where is the mill?', { channel, files });
    // The recording is transcribed first, then it and the text are answered.
    await answersIn(slack, thread, 2, channel);
    expect(botMessages(slack, thread, channel)[0]?.text).toContain('four seven');
    expect(JSON.stringify(upstream.journal.at(-1)?.body)).toMatch(
      /Where is the mill\?.*four seven.*Attached file “plan\.txt”.*The mill is at the river/su,
    );
    await slack.shortcut('eve', 'transcribe', thread, channel);
    await slack.core.until(() =>
      botMessages(slack, thread, channel).find(
        ({ ephemeralTo, text }) => ephemeralTo && !text.includes('no recording'),
      ),
    );
    slack.core.remove(EVE.id, channel, thread);
    await slack.core.until(() =>
      botMessages(slack, thread, channel).some(({ ephemeralTo }) => !ephemeralTo) ? undefined : true,
    );
  });

  test('answers each direct message in a thread of its own, with the history of that thread only', async () => {
    const { slack } = journey;
    const first = await slack.say('grace', 'My name is Grace.', { channel: 'dm' });
    const dm = [...slack.core.state.messages].find(([, messages]) => messages.has(first))?.[0] ?? '';
    await answersIn(slack, first, 1, dm);
    const second = await slack.say('grace', 'What is 6 * 7?', { channel: 'dm' });
    await answersIn(slack, second, 1, dm);
    await slack.say('grace', 'What is my name?', { channel: 'dm', thread: first });
    await answersIn(slack, first, 2, dm);
    expect(visibleTexts(journey, first, dm).at(-1)).toContain('Grace');
    expect(visibleTexts(journey, second, dm)).toEqual([expect.stringContaining('42')]);
  });

  test('answers a mention without text with a greeting, which is in no prompt', async () => {
    const { slack, upstream } = journey;
    const thread = await slack.say('ada', '@parley');
    await answersIn(slack, thread);
    expect(visibleTexts(journey, thread)).toEqual([expect.stringMatching(/Ask me something/)]);
    await slack.say('ada', 'What is 2 + 2?', { thread });
    await answersIn(slack, thread, 2);
    expect(JSON.stringify(upstream.journal.at(-1)?.body)).not.toContain('Ask me something');
  });

  test('ignores other bots; an allowed bot can start a thread, and no bot can continue one', async () => {
    const { slack, upstream } = journey;
    const requests = upstream.journal.length;
    await asks('B0STRANGER', '1700000001.000100');
    await asks('B0FRIEND00', '1700000002.000100');
    await answersIn(slack, '1700000002.000100');
    await asks('B0FRIEND00', '1700000003.000100', { thread_ts: '1700000002.000100' });
    await slack.delivery.idle();
    expect(botMessages(slack, '1700000001.000100')).toEqual([]);
    expect(botMessages(slack, '1700000002.000100')).toHaveLength(1);
    expect(upstream.journal).toHaveLength(requests + 1);
  });

  test('answers a bot that the channel allows, and stops after several answers when that bot replies to each with a new thread', async () => {
    const { slack } = journey;
    const lab = channelOf(journey, 'lab');
    await asks('B0NEWS0000', '1700000004.000100');
    let answered = 0;
    for (let n = 0; n < 6; n += 1) {
      const ts = `170000001${n}.000100`;
      await asks('B0NEWS0000', ts, { channel: lab });
      await answersIn(slack, ts, 1, lab);
      answered += 1;
    }
    const last = '1700000020.000100';
    await asks('B0NEWS0000', last, { channel: lab });
    const person = await slack.say('ada', '@parley What is 50 + 5?', { channel: lab });
    await answersIn(slack, person, 1, lab);
    await slack.delivery.idle();
    expect(answered).toBe(6);
    expect(botMessages(slack, last, lab)).toEqual([]);
    // It is ignored where it is not allowed.
    expect(botMessages(slack, '1700000004.000100')).toEqual([]);
  });

  test('ends an answer after one request when the channel is archived', async () => {
    const { slack } = journey;
    const question = await slack.say('ada', '@parley What is 1 + 1?');
    await answersIn(slack, question);
    const before = slack.calls.length;
    const heal = slack.faults.add({ kind: 'refuse', error: 'is_archived', times: 1_000 });
    await slack.say('ada', 'And 2 + 3?', { thread: question });
    await release.promise;
    heal();
    await slack.say('ada', 'What did I ask before?', { thread: question });
    await answersIn(slack, question, 2);
    // The question is not lost, and had one request.
    expect(visibleTexts(journey, question).at(-1)).toContain('2 + 3');
    const calls = slack.calls
      .slice(before)
      .filter(({ method }) => method === 'chat.startStream' || method === 'chat.postMessage');
    expect(calls.map(({ outcome }) => outcome)).toEqual(['refuse', 'ok']);
  });
});
