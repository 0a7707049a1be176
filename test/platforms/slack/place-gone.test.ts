import { describe, expect, test } from '@jest/globals';
import { integrationUser } from '../../../shared/domain/index.ts';
import { ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import { type SlackCall, SlackApiError } from '../../../shared/platforms/slack/api/call.ts';
import { createSlackPlatform } from '../../../shared/platforms/slack/index.ts';
import { BOT, fakeSlack, fakeTime, turn } from './fake-slack.ts';

const CODES = [
  'account_inactive',
  'channel_not_found',
  'is_archived',
  'messages_tab_disabled',
  'not_in_channel',
  'team_access_not_granted',
  'token_revoked',
];

/** A Slack that refuses everything with `code` after `alive` requests. */
function open(code: string, alive = 0) {
  const time = fakeTime();
  const slack = fakeSlack(time);
  const tried: string[] = [];
  const logged: string[] = [];
  const call: SlackCall = async (method, args) => {
    if (slack.calls.length < alive) return slack.call(method, args);
    tried.push(method);
    throw new SlackApiError(method, code);
  };
  const log = (event: string, facts = {}) => logged.push(`${event} ${JSON.stringify(facts)}`);
  return { time, slack, tried, logged, platform: createSlackPlatform({ call, time, botUserId: BOT, log }) };
}

describe.each(CODES)('when Slack responds %s', (code) => {
  test('an answer ends at once, with one log line', async () => {
    const { time, platform, tried, logged } = open(code);
    await platform.showStatus(turn, 'is thinking…');
    const reply = platform.reply(turn, []);
    reply.write('One ');
    await expect(time.until(reply.posted())).rejects.toBeInstanceOf(ThreadDeletedError);
    await expect(time.until(reply.publish('One.'))).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(tried).toEqual(['agents.sessions.setStatus', 'chat.startStream']);
    expect(logged).toEqual([`slack.channel-gone {"reason":"${code}"}`]);
  });

  test('an answer that has started ends too, and nothing remains to be searched for or withdrawn', async () => {
    const { time, platform } = open(code, 1);
    const reply = platform.reply(turn, []);
    reply.write('One ');
    const [id] = await time.until(reply.posted());
    reply.write('two ');
    await time.advance(2_000);
    // The model request must not continue for nobody.
    expect(reply.stopped.aborted).toBe(true);
    await expect(time.until(reply.publish('One two.'))).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(await platform.findOrphanedMessages(turn)).toEqual({ ofTurn: [], unattributed: [] });
    await time.until(platform.deleteAnswer(turn, id === undefined ? [] : [id]));
  });
});

test.each([
  'restricted_action',
  'restricted_action_non_threadable_channel',
  'restricted_action_read_only_channel',
  'restricted_action_thread_locked',
])(
  'where others may post and the bot may not (%s), the asker is told so in a direct message',
  async (code) => {
    const time = fakeTime();
    const sent: unknown[] = [];
    const call: SlackCall = async (method, args) => {
      if (args['channel'] !== turn.asker) throw new SlackApiError(method, code);
      sent.push([method, args['text']]);
      return { ok: true };
    };
    const platform = createSlackPlatform({ call, time, botUserId: BOT });
    const reply = platform.reply(turn, [], { locale: Promise.resolve('de') });
    reply.write('One ');
    await expect(time.until(reply.publish('One.'))).rejects.toBeInstanceOf(ThreadDeletedError);
    const { channel } = turn.thread;
    expect(sent).toEqual([
      ['chat.postMessage', expect.stringContaining(`Ich konnte dir in <#${channel}> nicht antworten`)],
    ]);
  },
);

test('a direct message that is refused too is logged, and changes nothing', async () => {
  const { time, platform, tried, logged } = open('restricted_action');
  await expect(time.until(platform.reply(turn, []).publish('One.'))).rejects.toBeInstanceOf(
    ThreadDeletedError,
  );
  expect(tried).toEqual(['chat.postMessage', 'chat.postMessage']);
  expect(logged).toEqual([
    'slack.channel-gone {"reason":"restricted_action"}',
    'slack.direct-message-failed {"reason":"restricted_action"}',
  ]);
});

test('an integration, which reads its answer over the API, gets no direct message', async () => {
  const { time, platform, tried, logged } = open('restricted_action');
  const turnOfIntegration = { ...turn, asker: integrationUser({ id: '0123456789abcdef' }) };
  await expect(time.until(platform.reply(turnOfIntegration, []).publish('One.'))).rejects.toBeInstanceOf(
    ThreadDeletedError,
  );
  expect(tried).toEqual(['chat.postMessage']);
  expect(logged).toEqual(['slack.channel-gone {"reason":"restricted_action"}']);
});

test('a token or permission that may be restored meanwhile does not end the answer', async () => {
  for (const code of ['invalid_auth', 'missing_scope']) {
    const { time, platform } = open(code);
    const finished = time.until(platform.reply(turn, []).publish('One.'));
    await expect(finished).rejects.not.toBeInstanceOf(ThreadDeletedError);
  }
});
