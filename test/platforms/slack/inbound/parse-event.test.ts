import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseEvent, type ParseOptions } from '../../../../shared/platforms/slack/inbound/parse-event.ts';
import { parseAttachments as discordFiles } from '../../../../shared/platforms/discord/inbound/attachments.ts';
import { parseAttachments as slackFiles } from '../../../../shared/platforms/slack/inbound/attachments.ts';

const options: ParseOptions = {};
const plain = {
  type: 'message',
  user: 'U1',
  team: 'T1',
  channel: 'C1',
  channel_type: 'channel',
  ts: '1700000000.000100',
  text: '<@UBOT> hello',
};
const THREAD = '1690000000.000100';

function envelope(event: Record<string, unknown> = {}, outer: Record<string, unknown> = {}) {
  return {
    type: 'event_callback',
    team_id: 'T1',
    context_team_id: 'T1',
    api_app_id: 'A1',
    authorizations: [
      { enterprise_id: null, team_id: 'T1', user_id: 'UBOT', is_bot: true, is_enterprise_install: false },
    ],
    event: { ...plain, ...event },
    ...outer,
  };
}
function read(event: Record<string, unknown>, outer = {}, by = options) {
  const parsed = parseEvent(envelope(event, outer), by);
  return parsed.kind === 'chatEvent' ? parsed.chatEvent : parsed;
}
const PNG = { id: 'F1', name: 'a.png', mimetype: 'image/png', size: 12, mode: 'hosted' };

describe('a message for the bot', () => {
  test('is a mention', () => {
    expect(read({})).toEqual({
      kind: 'message',
      message: {
        thread: { platform: 'slack', workspace: 'T1', channel: 'C1', root: plain.ts },
        id: plain.ts,
        author: 'U1',
        authorWorkspace: 'T1',
        text: 'hello',
        attachments: [],
        addressed: 'mention',
      },
    });
  });

  test('is parsed the same from app_mention and from message', () => {
    for (const thread of [{}, { thread_ts: THREAD }]) {
      const mention = { ...thread, type: 'app_mention', channel_type: undefined, files: [] };
      expect(read(mention)).toEqual(read({ ...thread, type: 'message' }));
    }
  });

  test.each([
    ['a direct message', { channel: 'D1', channel_type: 'im', text: 'hi' }, 'direct'],
    [
      'a reply in a direct message',
      { channel: 'D1', channel_type: 'im', text: 'hi', thread_ts: THREAD },
      'direct',
    ],
    ['a reply in a thread', { text: 'and then?', thread_ts: THREAD }, 'if-member'],
    ['a mention in a thread', { thread_ts: THREAD }, 'mention'],
    [
      'a reply also sent to the channel',
      { text: 'x', thread_ts: THREAD, subtype: 'thread_broadcast' },
      'if-member',
    ],
    ['a mention with a label', { text: 'say <@UBOT|parley> hi' }, 'mention'],
    ['a mention in a group of people', { channel: 'G1', channel_type: 'mpim' }, 'mention'],
    [
      'a reply in a group of people',
      { channel: 'G1', channel_type: 'mpim', text: 'x', thread_ts: THREAD },
      'if-member',
    ],
    ['a file with a mention', { subtype: 'file_share', files: [PNG] }, 'mention'],
    [
      'a voice clip sent directly',
      { channel: 'D1', subtype: 'file_share', text: '', files: [PNG] },
      'direct',
    ],
    ['a mention in the middle of a sentence', { subtype: 'me_message' }, 'mention'],
    ['a message without a mention', { text: 'lunch?' }, 'none'],
    ['a mention of somebody else', { text: '<@UBOTH> hi' }, 'none'],
    [
      'a message without a mention in a group of people',
      { channel: 'G1', channel_type: 'mpim', text: 'x' },
      'none',
    ],
  ])('%s', (_, event, addressed) => {
    expect(read(event)).toMatchObject({ kind: 'message', message: { addressed } });
  });

  test('belongs to its thread, or starts one', () => {
    expect(read({ thread_ts: THREAD })).toMatchObject({
      message: { id: plain.ts, thread: { root: THREAD } },
    });
    expect(read({ thread_ts: plain.ts, text: 'no mention' })).toMatchObject({
      message: { addressed: 'none' },
    });
  });
});

describe('a message that is not for the bot', () => {
  test.each([
    ['a hidden message', { subtype: 'message_replied', hidden: true }, 'hidden'],
    ['a channel_join', { subtype: 'channel_join', text: '<@UBOT> has joined' }, 'subtype'],
    ['a message of the bot itself', { user: 'UBOT', channel: 'D1' }, 'own'],
    [
      'a message of the bot itself with the ids of its app',
      { user: 'U5', bot_id: 'B5', app_id: 'A1' },
      'own',
    ],
    [
      'a message of the bot itself with the profile of its app',
      { bot_id: 'B5', bot_profile: { app_id: 'A1' } },
      'own',
    ],
    ['another bot without a mention', { bot_id: 'B6', app_id: 'A6', text: 'hello' }, 'bot'],
    ['a bot without any id', { subtype: 'bot_message', user: undefined }, 'no-author'],
    ['Slackbot', { user: 'USLACKBOT', channel: 'D1' }, 'bot'],
    ['a message without an author', { user: undefined }, 'no-author'],
    ["a bot's mention without text", { text: '<@UBOT>', bot_id: 'B6', app_id: 'A6' }, 'empty'],
    ['only a deleted file', { channel: 'D1', text: '', files: [{ ...PNG, mode: 'tombstone' }] }, 'empty'],
    ['an empty message', { channel: 'D1', text: undefined }, 'empty'],
  ])('%s', (_, event, reason) => {
    expect(read(event)).toEqual({ kind: 'drop', reason });
  });

  test('is recognized by the configured bot id when the event does not contain it', () => {
    const outer = { authorizations: undefined };
    expect(read({ user: 'UBOT', channel: 'D1' }, outer, { ...options, botUserId: 'UBOT' })).toMatchObject({
      reason: 'own',
    });
    expect(read({}, outer, { ...options, botUserId: 'UBOT' })).toMatchObject({ message: { text: 'hello' } });
    expect(read({}, outer)).toMatchObject({ message: { addressed: 'none' } });
    expect(read({ type: 'app_mention' }, outer)).toMatchObject({ message: { addressed: 'mention' } });
  });
});

describe('another bot', () => {
  test.each([
    [{ bot_id: 'B7' }, ['B7', 'U1']],
    [{ bot_id: 'B6', app_id: 'A8' }, ['B6', 'U1', 'A8']],
    [{ bot_id: 'B6', bot_profile: { app_id: 'A8' } }, ['B6', 'U1', 'A8']],
    [{ subtype: 'bot_message', user: undefined, bot_id: 'B7' }, ['B7']],
  ])('that mentions the bot may start a thread, if it is allowed: %j', (event, bot) => {
    expect(read(event)).toMatchObject({ message: { addressed: 'mention', bot } });
  });

  test('is identified by its bot id when it has no user id', () => {
    const event = { subtype: 'bot_message', user: undefined, bot_id: 'B7' };
    expect(read(event)).toMatchObject({ message: { author: 'B7' } });
  });

  test('is not answered in threads or direct messages, so that two bots cannot loop', () => {
    const dropped = { kind: 'drop', reason: 'bot' };
    expect(read({ bot_id: 'B7', thread_ts: THREAD })).toEqual(dropped);
    expect(read({ bot_id: 'B7', thread_ts: THREAD, text: 'x' })).toEqual(dropped);
    expect(read({ bot_id: 'B7', channel: 'D1' })).toEqual(dropped);
  });

  test('is never the bot itself', () => {
    const dropped = { kind: 'drop', reason: 'own' };
    expect(read({ user: 'UBOT', bot_id: 'B5', app_id: 'A2' })).toEqual(dropped);
    expect(read({ user: undefined, bot_id: 'B5', app_id: 'A1' })).toEqual(dropped);
  });
});

const auth = (of: Record<string, unknown>) => ({
  authorizations: [
    { user_id: 'UBOT', is_bot: true, enterprise_id: null, is_enterprise_install: false, ...of },
  ],
});

describe('the workspace', () => {
  test.each([
    [
      'of the installation, in a channel shared with another company',
      { team_id: 'T2', ...auth({ team_id: 'T1' }) },
      'T1',
    ],
    ['of the context, where the installation names none', { team_id: 'T2', authorizations: undefined }, 'T1'],
    ['of the event, as the last resort', { context_team_id: null, authorizations: [] }, 'T1'],
    ['of the event, with null for the installation', { context_team_id: null, authorizations: null }, 'T1'],
    [
      'of the enterprise, installed org-wide',
      auth({ team_id: null, enterprise_id: 'E1', is_enterprise_install: true }),
      'E1',
    ],
    ['of the team within an enterprise', auth({ team_id: 'T1', enterprise_id: 'E1' }), 'T1'],
  ])('%s', (_, outer, workspace) => {
    expect(read({ type: 'app_mention' }, outer)).toMatchObject({ message: { thread: { workspace } } });
  });

  test("of the author is the author's own", () => {
    expect(read({ user_team: 'T2', source_team: 'T3' })).toMatchObject({
      message: { authorWorkspace: 'T2' },
    });
    expect(read({ team: undefined }, { team_id: 'T4' })).toMatchObject({
      message: { authorWorkspace: 'T4' },
    });
  });

  test.each([
    ['that of the event', { enterprise_id: 'E9', team_id: 'T9' }, 'T9'],
    ['that of the context', { context_enterprise_id: 'E9', context_team_id: 'T8' }, 'T8'],
    ['unknown, if the event does not name it', { enterprise_id: 'E1', context_enterprise_id: 'E1' }, 'E9'],
    ['unknown, if the event names no organization', {}, 'E9'],
  ])('of an author of whom Slack names the organization is %s', (_, outer, authorWorkspace) => {
    const mention = { type: 'app_mention', user_team: 'E9', source_team: 'E9', team: 'T1' };
    expect(read(mention, outer)).toMatchObject({ message: { authorWorkspace } });
  });
});

describe('the text', () => {
  test.each([
    ['<@UBOT> what is 2 &lt; 3 &amp;&amp; 3 &gt; 2?', 'what is 2 < 3 && 3 > 2?'],
    ['<@UBOT>: hi', 'hi'],
    ['<@UBOT>, hi', 'hi'],
    ['hey <@UBOT>, hi', 'hey, hi'],
    ['ask <@UBOT> now', 'ask now'],
    ['<@UBOT|parley> <@UBOT> twice', 'twice'],
    ['<@UBOT> :smile: and <@UBOT> :tada:', ':smile: and :tada:'],
    ['<@UBOT> ask <@U2> and <@U3|ada>', 'ask @U2 and @ada'],
    ['<@UBOT> in <#C2|general> or <#C3>', 'in #general or #C3'],
    ['<@UBOT> <!here> <!subteam^S1|@team> <!subteam^S1> <!date^1^{date}|today>', '@here @team @S1 today'],
    ['<@UBOT> <https://a.io/?x=1&amp;y=2>', 'https://a.io/?x=1&y=2'],
    ['<@UBOT> <https://a.io|a.io> <https://a.io|the page>', 'https://a.io the page (https://a.io)'],
    ['<@UBOT> <mailto:a@b.io|a@b.io>', 'a@b.io'],
    ['<@UBOT> &amp;lt; stays', '&lt; stays'],
    ['<@UBOT> a\n  b  c', 'a\n  b  c'],
    ['<@UBOT> a < b', 'a < b'],
  ])('%s', (text, words) => {
    expect(read({ text })).toMatchObject({ message: { text: words } });
  });

  test('is truncated at the maximum length that Slack allows', () => {
    expect(read({ channel: 'D1', text: 'x'.repeat(50_000) })).toMatchObject({
      message: { text: 'x'.repeat(40_000) },
    });
  });

  test('is parsed from any block type', () => {
    for (const text of [' '.repeat(39_000), '<'.repeat(40_000), '<@'.repeat(20_000), '<a|'.repeat(13_000)]) {
      expect(read({ channel: 'D1', text: `${text}x` }).kind).toBe('message');
    }
  });
});

test('a malformed message is unreadable, and nothing throws', () => {
  for (const event of [
    { text: 7 },
    { ts: 'a#b' },
    { channel: null },
    { user: {} },
    { ts: undefined },
    { type: 'x' },
  ]) {
    expect(read(event)).toEqual({ kind: 'unreadable' });
  }
  expect(parseEvent({}, options)).toEqual({ kind: 'unreadable' });
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...Object.keys(plain), 'thread_ts', 'bot_id'), fc.anything()),
      (event) => {
        expect(['message', 'drop', 'unreadable']).toContain(read(event).kind);
      },
    ),
  );
});

test("a file with a size beyond the queue's number range is skipped", () => {
  const files: unknown = JSON.parse('[{"id":"F1","size":1e999},{"id":"F2","size":3}]');
  expect(slackFiles(Array.isArray(files) ? files : [])).toMatchObject([{ id: 'F2', bytes: 3 }]);
});

test('the length of a recording is known before the download, on both platforms', () => {
  expect(slackFiles([{ id: 'F1', duration_ms: 4_200.4 }, { id: 'F2' }]).map(({ ms }) => ms)).toEqual([
    4_201,
    undefined,
  ]);
  const sound = { id: '7', url: 'https://cdn.discordapp.com/a.ogg', duration_secs: 1.25 };
  expect(
    discordFiles({ attachments: [sound, { ...sound, duration_secs: null }] }).map(({ ms }) => ms),
  ).toEqual([1_250, undefined]);
});

test('a mention without text by a person is for the bot, and gets a greeting', () => {
  expect(read({ text: '<@UBOT>' })).toMatchObject({
    kind: 'message',
    message: { text: '', addressed: 'mention' },
  });
});
