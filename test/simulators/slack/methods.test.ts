import { describe, expect, test } from '@jest/globals';
import { ADA, GRACE, inner, setUp } from './harness.ts';

describe('limits and refusals', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['chat.postMessage', { text: 'x' }, 'invalid_arguments'],
    ['chat.postMessage', { channel: 'C0NOWHERE', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: 'C0OUTSIDE', text: 'x' }, 'not_in_channel'],
    ['chat.postMessage', { channel: 'G0SECRET', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: 'general' }, 'no_text'],
    ['chat.postMessage', { channel: 'general', text: 'x', markdown_text: 'x' }, 'markdown_text_conflict'],
    ['chat.postMessage', { channel: 'general', markdown_text: 'x'.repeat(12_001) }, 'msg_too_long'],
    ['chat.postMessage', { channel: 'general', blocks: '{' }, 'invalid_blocks_format'],
    ['chat.postMessage', { channel: 'general', blocks: [{ type: 'nonsense' }] }, 'invalid_blocks'],
    ['chat.postMessage', { channel: 'general', text: 'x', metadata: '{' }, 'invalid_metadata_format'],
    ['chat.postMessage', { channel: 'general', text: 'x', metadata: { a: 1 } }, 'invalid_metadata_schema'],
    // Only posts take the name of a channel, or a person for their DM.
    ['chat.update', { channel: 'general', ts: '1.000000', text: 'x' }, 'channel_not_found'],
    ['chat.startStream', { channel: ADA, thread_ts: '1.0' }, 'channel_not_found'],
    ['conversations.info', { channel: 'general' }, 'channel_not_found'],
    ['agents.sessions.setStatus', { channel_id: 'general', status: 'active' }, 'channel_not_found'],
    ['chat.update', { channel: 'C0GENERAL0', ts: '1.000000', text: 'x' }, 'message_not_found'],
    ['chat.delete', { channel: 'C0GENERAL0', ts: '1.000000' }, 'message_not_found'],
    ['chat.getPermalink', { channel: 'C0GENERAL0', message_ts: '1.000000' }, 'message_not_found'],
    ['chat.appendStream', { channel: 'C0GENERAL0', ts: '1.000000', markdown_text: 'x' }, 'message_not_found'],
    ['conversations.replies', { channel: 'C0GENERAL0', ts: '1.000000' }, 'thread_not_found'],
    ['conversations.history', { channel: 'C0GENERAL0', cursor: 'x' }, 'invalid_cursor'],
    ['conversations.history', { channel: 'C0GENERAL0', oldest: 'x' }, 'invalid_ts_oldest'],
    [
      'assistant.threads.setStatus',
      { channel_id: 'C0GENERAL0', thread_ts: '1.0', status: 'x' },
      'invalid_thread_ts',
    ],
    ['users.info', { user: 'U0NOBODY' }, 'user_not_found'],
    ['files.upload', {}, 'unknown_method'],
  ])('%#: %s refuses invalid arguments', (method, args, error) => {
    const { call } = setUp({
      channels: [
        { id: 'C0OUTSIDE', name: 'outside', kind: 'channel', members: [ADA] },
        { id: 'G0SECRET', name: 'secret', kind: 'group', members: [ADA] },
      ],
    });
    expect(call(method, args)).toMatchObject({ ok: false, error });
  });

  test('text is cut above 40,000 characters when posted, refused above 4,000 bytes when updated', () => {
    const { call, channel } = setUp();
    const posted = call('chat.postMessage', { channel, text: 'x'.repeat(40_001) });
    expect(posted).toMatchObject({ ok: true, warning: 'message_truncated' });
    const { ts } = posted;
    expect(call('chat.update', { channel, ts, text: 'x'.repeat(4_000) })).toMatchObject({ ok: true });
    for (const words of ['x'.repeat(4_001), '漢'.repeat(1_334)]) {
      const blocks = [{ type: 'markdown', text: 'x' }];
      expect(call('chat.update', { channel, ts, text: words })).toMatchObject({ error: 'msg_too_long' });
      expect(call('chat.update', { channel, ts, text: words, blocks })).toMatchObject({
        error: 'msg_too_long',
      });
    }
  });

  test('tokens and scopes are checked', () => {
    const { workspace, call } = setUp({ identity: { scopes: [] } });
    expect(workspace.call('auth.test', {}, undefined)).toMatchObject({ error: 'not_authed' });
    expect(workspace.call('auth.test', {}, 'xoxb-other')).toMatchObject({ error: 'invalid_auth' });
    expect(call('auth.test')).toMatchObject({ ok: true, user_id: 'U0PARLEY00', bot_id: 'B0PARLEY00' });
    expect(call('users.info', { user: ADA })).toMatchObject({ error: 'missing_scope', needed: 'users:read' });
  });

  test('each type of channel needs its own scope to be read', () => {
    const { call } = setUp({ identity: { scopes: ['im:history'] } });
    expect(call('conversations.history', { channel: `D${ADA.slice(1)}` })).toMatchObject({ ok: true });
    expect(call('conversations.history', { channel: 'C0LAB00000' })).toMatchObject({
      error: 'missing_scope',
      needed: 'groups:history',
    });
    expect(call('conversations.replies', { channel: 'C0GENERAL0', ts: '1.0' })).toMatchObject({
      error: 'missing_scope',
      needed: 'channels:history',
    });
  });

  test('the 21st stream of a minute is refused until the first is a minute old', () => {
    const { clock, workspace, call, channel, recipient } = setUp({ enforceTiers: true });
    const thread_ts = workspace.say(ADA, '@parley hi');
    const start = () => call('chat.startStream', { channel, thread_ts, ...recipient });
    for (let i = 0; i < 20; i += 1) {
      expect(start()).toMatchObject({ ok: true });
      clock.advance(1_000);
    }
    expect(start()).toMatchObject({ error: 'ratelimited', retryAfter: 40 });
    clock.advance(40_000);
    expect(start()).toMatchObject({ ok: true });
  });

  test('posting is limited to one a second and channel, after a burst of five', () => {
    const { clock, call, channel } = setUp({ enforceTiers: true });
    const post = () => call('chat.postMessage', { channel, text: 'x' });
    for (let i = 0; i < 5; i += 1) expect(post()).toMatchObject({ ok: true });
    expect(post()).toMatchObject({ error: 'ratelimited', retryAfter: 1 });
    expect(call('chat.postMessage', { channel: 'lab', text: 'x' })).toMatchObject({ ok: true });
    clock.advance(1_000);
    expect(post()).toMatchObject({ ok: true });
  });
});

test('an archived channel can be read, and nothing changes there', () => {
  const { workspace, call, channel, recipient } = setUp();
  const ts = workspace.say(ADA, '@parley hello');
  const own = call('chat.postMessage', { channel, text: 'x' })['ts'];
  workspace.archiveChannel('general');
  expect(call('conversations.info', { channel })).toMatchObject({ channel: { is_archived: true } });
  expect(call('conversations.replies', { channel, ts })).toMatchObject({ messages: [{ ts }] });
  for (const [method, args] of [
    ['chat.postMessage', { text: 'x' }],
    ['chat.postEphemeral', { text: 'x', user: ADA }],
    ['chat.update', { ts: own, text: 'y' }],
    ['chat.startStream', { thread_ts: ts, ...recipient }],
    ['reactions.add', { timestamp: ts, name: 'eyes' }],
  ] as const)
    expect(call(method, { channel, ...args })).toMatchObject({ error: 'is_archived' });
  expect(() => workspace.say(ADA, 'hello')).toThrow('general is archived');
});

describe('threads', () => {
  test('have pages, bounds and the order of both listings', () => {
    const { workspace, call, channel } = setUp();
    const root = workspace.say(ADA, 'root');
    const replies = ['a', 'b', 'c'].map((words) => workspace.say(GRACE, words, { thread: root }));
    const second = workspace.say(ADA, 'second');
    const first = call('conversations.replies', { channel, ts: root, limit: 3 });
    expect(first).toMatchObject({ has_more: true, messages: [{ ts: root }, { text: 'a' }, { text: 'b' }] });
    const cursor = first['response_metadata'];
    const next = typeof cursor === 'object' && cursor && 'next_cursor' in cursor ? cursor.next_cursor : '';
    expect(call('conversations.replies', { channel, ts: root, cursor: next })).toMatchObject({
      has_more: false,
      // Each page begins with the root.
      messages: [{ ts: root }, { text: 'c' }],
    });
    expect(call('conversations.replies', { channel, ts: root, oldest: replies[1] })).toMatchObject({
      messages: [{ ts: root }, { text: 'c' }],
    });
    expect(call('conversations.history', { channel })).toMatchObject({
      messages: [{ ts: second }, { ts: root }],
    });
    expect(call('conversations.history', { channel, latest: root, inclusive: '1' })).toMatchObject({
      messages: [{ ts: root }],
    });
  });

  test('a reply to a deleted question lands in the channel, without a thread', () => {
    const { workspace, call, channel } = setUp();
    const root = workspace.say(ADA, '@parley hi');
    workspace.remove(ADA, 'general', root);
    const posted = call('chat.postMessage', { channel, thread_ts: root, text: 'too late' });
    expect(posted).toMatchObject({ ok: true });
    expect(posted['message']).not.toHaveProperty('thread_ts');
  });

  test('a deleted root leaves a tombstone while it has replies', () => {
    const { workspace, call, channel, events } = setUp();
    const root = workspace.say(ADA, 'root');
    const reply = workspace.say(GRACE, 'reply', { thread: root });
    workspace.remove(ADA, 'general', root);
    expect(call('conversations.replies', { channel, ts: root })).toMatchObject({
      messages: [{ subtype: 'tombstone' }, { text: 'reply' }],
    });
    expect(inner(events.at(-1))).toMatchObject({
      subtype: 'message_changed',
      message: { subtype: 'tombstone', ts: root, user: 'USLACKBOT' },
      previous_message: { text: 'root' },
    });
    workspace.remove(GRACE, 'general', reply);
    expect(events.slice(-2).map(inner)).toMatchObject([
      { subtype: 'message_deleted', deleted_ts: reply },
      { subtype: 'message_deleted', deleted_ts: root, previous_message: { subtype: 'tombstone' } },
    ]);
    expect(call('conversations.replies', { channel, ts: root })).toMatchObject({ error: 'thread_not_found' });
  });

  test('a status lasts until the next message of the bot', () => {
    const { workspace, call, channel } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const status = (words: string, more = {}) =>
      call('assistant.threads.setStatus', { channel_id: channel, thread_ts, status: words, ...more });
    expect(status('is thinking…', { loading_messages: ['Reading…'] })).toEqual({ ok: true });
    expect([...workspace.state.statuses.values()]).toMatchObject([
      { words: 'is thinking…', thread: thread_ts },
    ]);
    call('chat.postMessage', { channel, thread_ts, text: 'done' });
    expect(workspace.state.statuses.size).toBe(0);
    status('again');
    expect(status('')).toEqual({ ok: true });
    expect(workspace.state.statuses.size).toBe(0);
    expect(status('x', { loading_messages: ['x'.repeat(51)] })).toMatchObject({ error: 'invalid_arguments' });
  });

  test('reactions, users and DMs work', () => {
    const { workspace, call, channel } = setUp();
    const timestamp = workspace.say(ADA, 'hi');
    expect(call('reactions.add', { channel, timestamp, name: 'eyes' })).toEqual({ ok: true });
    expect(call('reactions.add', { channel, timestamp, name: 'eyes' })).toMatchObject({
      error: 'already_reacted',
    });
    expect(call('conversations.history', { channel })).toMatchObject({
      messages: [{ reactions: [{ name: 'eyes', count: 1 }] }],
    });
    expect(call('reactions.remove', { channel, timestamp, name: 'eyes' })).toEqual({ ok: true });
    expect(call('reactions.remove', { channel, timestamp, name: 'eyes' })).toMatchObject({
      error: 'no_reaction',
    });
    expect(call('users.info', { user: GRACE })).toMatchObject({
      user: { real_name: 'Grace Hopper', is_bot: false },
    });
    expect(call('conversations.open', { users: GRACE })).toMatchObject({ channel: { id: 'D0GRACE000' } });
    expect(call('conversations.info', { channel })).toMatchObject({
      channel: { name: 'general', is_member: true },
    });
    expect(call('chat.postMessage', { channel: GRACE, text: 'psst' })).toMatchObject({
      channel: 'D0GRACE000',
    });
  });
});

test('an ephemeral message in a thread is visible only if the thread has replies', () => {
  const { workspace, call, channel } = setUp();
  const root = workspace.say(ADA, 'hello');
  const ephemeralMessages = () =>
    [...(workspace.state.messages.get(channel)?.values() ?? [])].filter(
      ({ ephemeralTo }) => ephemeralTo === ADA,
    );
  const args = { channel, user: ADA, text: 'psst' };
  expect(call('chat.postEphemeral', { ...args, thread_ts: root })).toMatchObject({ ok: true });
  expect(ephemeralMessages()).toEqual([]);
  call('chat.postEphemeral', args);
  expect(ephemeralMessages()).toMatchObject([{ text: 'psst' }]);
  workspace.say(GRACE, 'hi', { thread: root });
  call('chat.postEphemeral', { ...args, thread_ts: root });
  expect(ephemeralMessages()).toHaveLength(2);
});
