import { describe, expect, test } from '@jest/globals';
import { ADA, GRACE, inner, setUp, text } from './harness.ts';
import { createWorkspace } from './workspace.ts';

describe('events of', () => {
  test('a mention arrive twice: the same message, with different event ids', () => {
    const { workspace, events } = setUp();
    const ts = workspace.say(ADA, '@parley what is 2 < 3 & https://example.com?');
    expect(events.map((one) => inner(one)['type'])).toEqual(['app_mention', 'message']);
    const [mention, message] = events.map(inner);
    expect(mention).toMatchObject({
      user: ADA,
      ts,
      event_ts: ts,
      channel: workspace.channel,
      team: 'T0PARLEY00',
    });
    expect(mention).not.toHaveProperty('channel_type');
    expect(message).toMatchObject({ channel_type: 'channel', client_msg_id: mention?.['client_msg_id'] });
    expect(message?.['text']).toBe('<@U0PARLEY00> what is 2 &lt; 3 &amp; <https://example.com?>');
    expect(events[0]?.['event_id']).not.toBe(events[1]?.['event_id']);
    expect(events[0]).toMatchObject({
      type: 'event_callback',
      team_id: 'T0PARLEY00',
      context_team_id: 'T0PARLEY00',
      authorizations: [{ user_id: 'U0PARLEY00', is_bot: true, is_enterprise_install: false }],
      is_ext_shared_channel: false,
    });
  });

  test('a mention can arrive in either order', () => {
    const { workspace, events } = setUp({ mentionFirst: () => false });
    workspace.say(ADA, '@parley hello');
    expect(events.map((one) => inner(one)['type'])).toEqual(['message', 'app_mention']);
  });

  test('an edited mention arrive twice too, and mark the edit', () => {
    const { workspace, events } = setUp();
    const ts = workspace.say(ADA, 'hello');
    workspace.edit(ADA, 'general', ts, '@parley hello');
    workspace.edit(ADA, 'general', ts, 'hello');
    const [, mention, change, last] = events.map(inner);
    expect(mention).toMatchObject({
      type: 'app_mention',
      ts,
      text: '<@U0PARLEY00> hello',
      edited: { user: ADA },
    });
    expect(change).toMatchObject({ subtype: 'message_changed', message: { edited: mention?.['edited'] } });
    expect(last).toMatchObject({ subtype: 'message_changed' });
    expect(events).toHaveLength(4);
  });

  test('a DM arrive once, as message.im', () => {
    const { workspace, events } = setUp();
    workspace.say(GRACE, '@parley hello', { channel: 'dm' });
    expect(events.map(inner)).toMatchObject([{ type: 'message', channel_type: 'im', channel: 'D0GRACE000' }]);
  });

  test('replies contain their thread and the author of its root', () => {
    const { workspace, events } = setUp();
    const root = workspace.say(ADA, 'a question');
    workspace.say(GRACE, 'an answer', { thread: root });
    expect(inner(events[1])).toMatchObject({ thread_ts: root, parent_user_id: ADA });
  });

  test("the bot's own post, update and deletion arrive too", () => {
    const { call, events, channel } = setUp();
    const ts = text(call('chat.postMessage', { channel, text: 'one' })['ts']);
    call('chat.update', { channel, ts, text: 'two' });
    call('chat.delete', { channel, ts });
    expect(events.map(inner)).toMatchObject([
      { type: 'message', bot_id: 'B0PARLEY00', text: 'one' },
      {
        subtype: 'message_changed',
        hidden: true,
        message: { text: 'two' },
        previous_message: { text: 'one' },
      },
      { subtype: 'message_deleted', deleted_ts: ts },
    ]);
  });

  test('types without a subscription are not sent', () => {
    const { workspace, events } = setUp({ identity: { subscriptions: ['app_mention'] } });
    workspace.say(ADA, 'not for you');
    workspace.say(ADA, '@parley for you');
    expect(events).toHaveLength(1);
  });

  test('one moment have different ids, and so do messages', () => {
    const { workspace, events, call, channel } = setUp();
    const all = new Set<string>();
    for (let i = 0; i < 50; i += 1) all.add(workspace.say(ADA, '@parley again'));
    for (let i = 0; i < 50; i += 1) all.add(text(call('chat.postMessage', { channel, text: 'x' })['ts']));
    expect(all.size).toBe(100);
    expect([...all].toSorted()).toEqual([...all]);
    expect(new Set(events.map((one) => one['event_id'])).size).toBe(150);
  });
});

test('a workspace that is rebuilt from the changes of another is the same, and its new ids are new', () => {
  const { clock, workspace, call, channel, recipient, events } = setUp();
  const thread_ts = workspace.say(ADA, '@parley hi');
  const ts = text(call('chat.startStream', { channel, thread_ts, ...recipient })['ts']);
  call('chat.appendStream', { channel, ts, markdown_text: 'Hello' });
  const again = createWorkspace({ clock: clock.now, past: workspace.changes() });
  expect(again.changes()).toEqual(workspace.changes());
  const later: unknown[] = [];
  again.onEvent((envelope) => later.push(envelope.event_id));
  expect(again.say(ADA, 'later') > ts).toBe(true);
  expect(events.map((one) => one['event_id'])).not.toContain(later[0]);
  again.reset();
  expect(again.call('conversations.history', { channel }, again.identity.botToken)).toMatchObject({
    messages: [],
  });
});
