import { describe, expect, test } from '@jest/globals';
import { DEFAULT_IDENTITY } from './identity.ts';
import { ADA, GRACE, inner, setUp, text } from './harness.ts';

const button = (label: string, value: string) => ({
  type: 'button',
  action_id: label.toLowerCase(),
  text: { type: 'plain_text', text: label },
  value,
});
const thumb = (label: string, value: string) => ({ text: { type: 'plain_text', text: label }, value });
const UNDER = [
  {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: 'feedback',
        positive_button: thumb('Good answer', 'good'),
        negative_button: thumb('Bad answer', 'bad'),
      },
    ],
  },
  { type: 'actions', block_id: 'mine', elements: [button('Again', '{"a":1}'), button('More', 'm')] },
];

function withButtons() {
  const all = setUp();
  const { workspace, call, channel, recipient } = all;
  const thread_ts = workspace.say(ADA, '@parley hi');
  const ts = text(call('chat.startStream', { channel, thread_ts, markdown_text: 'Hi.', ...recipient })['ts']);
  expect(call('chat.stopStream', { channel, ts, blocks: UNDER })).toMatchObject({ ok: true });
  const respondTo = (payload: Record<string, unknown>, body: unknown) =>
    workspace.respond(text(payload['response_url']).split('/').at(-1) ?? '', body);
  return { ...all, thread_ts, ts, respondTo };
}

describe('a click', () => {
  test('contains who clicked what and where, as Slack sends it', () => {
    const { workspace, channel, ts, thread_ts, clock } = withButtons();
    const payload = workspace.press(GRACE, ts, 'again');
    expect(payload).toMatchObject({
      type: 'block_actions',
      user: { id: GRACE, name: 'grace', team_id: 'T0PARLEY00' },
      api_app_id: 'A0PARLEY00',
      container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false, thread_ts },
      team: { id: 'T0PARLEY00', domain: 'parley-works' },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: channel, name: 'general' },
      message: { ts, thread_ts, bot_id: 'B0PARLEY00', text: 'Hi.' },
      actions: [
        { action_id: 'again', block_id: 'mine', type: 'button', value: '{"a":1}', text: { text: 'Again' } },
      ],
    });
    const [action] = [payload['actions']].flat();
    expect(JSON.stringify(action)).toContain(`"action_ts":"${Math.floor(clock.now() / 1000)}.`);
    expect(payload['trigger_id']).toMatch(/^\d+\.[0-9A-Z]{12}\.[0-9a-z]{32}$/);
    expect(workspace.press(GRACE, ts, 'again')['trigger_id']).not.toBe(payload['trigger_id']);
  });

  test('of a rating says which; blocks and buttons without ids get some', () => {
    const { workspace, call, channel, ts } = withButtons();
    const press = (what: Parameters<typeof workspace.press>[2], of = ts) =>
      workspace.press(ADA, of, what)['actions'];
    expect(press('Bad answer')).toMatchObject([
      {
        type: 'feedback_buttons',
        action_id: 'feedback',
        value: 'bad',
        block_id: expect.stringMatching(/^[0-9A-Z]{5}$/),
      },
    ]);
    expect(press({ block: 0, element: 0, value: 'good' })).toMatchObject([{ value: 'good' }]);
    expect(press({ block: 1, element: 1 })).toMatchObject([{ value: 'm', block_id: 'mine' }]);
    const { action_id: _id, ...nameless } = button('Plain', 'p');
    const plain = text(
      call('chat.postMessage', { channel, text: 'x', blocks: [{ type: 'actions', elements: [nameless] }] })[
        'ts'
      ],
    );
    expect(press('Plain', plain)).toMatchObject([{ action_id: expect.stringMatching(/^[0-9A-Z]{5}$/) }]);
  });

  test('works only for an existing button in a message that the person sees', () => {
    const { workspace, call, channel, ts } = withButtons();
    expect(() => workspace.press(ADA, ts, 'Gone')).toThrow('No such button: Gone');
    expect(() => workspace.press(ADA, ts, { block: 0, element: 0, value: 'neither' })).toThrow(
      'No such button',
    );
    expect(() => workspace.press('U0NOBODY', ts, 'again')).toThrow('sees no message');
    const only = { channel, user: ADA, text: 'x', blocks: UNDER };
    const whispered = text(call('chat.postEphemeral', only)['message_ts']);
    expect(() => workspace.press(GRACE, whispered, 'again')).toThrow('sees no message');
    const payload = workspace.press(ADA, whispered, 'again');
    expect(payload).toMatchObject({ container: { is_ephemeral: true } });
    expect(payload).not.toHaveProperty('message');
  });

  test('in an organization-wide installation names no workspace', () => {
    const enterprise = { id: 'E0ORG', name: 'Org', orgInstall: true };
    const { workspace, call, channel } = setUp({ identity: { enterprise } });
    const ts = text(call('chat.postMessage', { channel, text: 'x', blocks: UNDER })['ts']);
    expect(workspace.press(ADA, ts, 'more')).toMatchObject({
      team: null,
      enterprise: { id: 'E0ORG', name: 'Org' },
      is_enterprise_install: true,
    });
  });
});

describe('a response_url', () => {
  test('responds ephemerally to the clicking person, or publicly', () => {
    const { workspace, call, channel, ts, thread_ts, respondTo } = withButtons();
    const payload = workspace.press(GRACE, ts, 'more');
    expect(respondTo(payload, { text: 'For you', thread_ts })).toEqual({ ok: true });
    expect([...(workspace.state.messages.get(channel)?.values() ?? [])].at(-1)).toMatchObject({
      text: 'For you',
      ephemeralTo: GRACE,
      thread: thread_ts,
    });
    expect(respondTo(payload, { text: 'For all', response_type: 'in_channel', thread_ts })).toEqual({
      ok: true,
    });
    const messages = call('conversations.replies', { channel, ts: thread_ts })['messages'];
    expect(JSON.stringify(messages)).toContain('For all');
    expect(JSON.stringify(messages)).not.toContain('For you');
  });

  test('changes or deletes the message', () => {
    const { workspace, channel, events, ts, respondTo } = withButtons();
    const payload = workspace.press(ADA, ts, 'more');
    expect(respondTo(payload, { text: 'Changed', replace_original: true })).toEqual({ ok: true });
    const changed = workspace.state.messages.get(channel)?.get(ts);
    expect(changed).toMatchObject({ text: 'Changed' });
    expect(changed).not.toHaveProperty('blocks');
    expect(inner(events.at(-1))).toMatchObject({ subtype: 'message_changed' });
    expect(respondTo(payload, { delete_original: true })).toEqual({ ok: true });
    expect(workspace.state.messages.get(channel)?.has(ts)).toBe(false);
  });

  test('works five times within half an hour', () => {
    const { workspace, clock, ts, respondTo } = withButtons();
    const payload = workspace.press(ADA, ts, 'more');
    for (let i = 0; i < 5; i += 1) expect(respondTo(payload, { text: 'x' })).toEqual({ ok: true });
    expect(respondTo(payload, { text: 'x' })).toEqual({ ok: false, error: 'used_url' });
    const later = workspace.press(ADA, ts, 'more');
    expect(respondTo(later, 'no object')).toMatchObject({ error: 'invalid_payload' });
    expect(respondTo(later, {})).toMatchObject({ error: 'no_text' });
    clock.advance(30 * 60_000);
    expect(respondTo(later, { text: 'x' })).toEqual({ ok: false, error: 'expired_url' });
    expect(workspace.respond('unknown', { text: 'x' })).toEqual({ ok: false, error: 'expired_url' });
  });
});

describe("Slack's own Stop", () => {
  test('ends the streams of a thread and notifies the app', () => {
    const { workspace, call, channel, recipient, events } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const start = (words: string) =>
      text(call('chat.startStream', { channel, thread_ts, markdown_text: words, ...recipient })['ts']);
    const [one, two] = [start('one'), start('two')];
    workspace.stop(GRACE, 'general', one);
    expect(inner(events.at(-1))).toEqual({
      type: 'agent_session_stopped',
      channel,
      user: GRACE,
      thread_ts,
      streaming_message_ts: [one, two],
      event_ts: expect.any(String),
    });
    const more = { channel, ts: one, markdown_text: 'more' };
    expect(call('chat.appendStream', more)).toMatchObject({ error: 'stopped_by_user' });
    expect(call('chat.stopStream', more)).toMatchObject({ error: 'stopped_by_user' });
    expect(call('chat.update', { channel, ts: one, text: 'one. Stopped.' })).toMatchObject({ ok: true });
    // The click does not change the session's status.
    workspace.stop(GRACE, 'general', one);
    const idle = { channel_id: channel, thread_ts, status: 'active' };
    expect(call('agents.sessions.setStatus', idle)).toMatchObject({ ok: true });
    expect(() => workspace.stop(GRACE, 'general', one)).toThrow('Nothing is under way');
  });

  test('is shown once the app reports work in progress', () => {
    const closed = { id: 'C0CLOSED00', name: 'closed', kind: 'channel', members: [ADA] } as const;
    const channels = [{ ...closed, members: [ADA] }];
    const { workspace, call, channel, events } = setUp({ channels });
    const thread_ts = workspace.say(ADA, '@parley hi');
    const status = (words: string, more = {}) =>
      call('agents.sessions.setStatus', { channel_id: channel, thread_ts, status: words, ...more });
    expect(status('processing', { title: 'Greeting' })).toEqual({
      ok: true,
      status: 'processing',
      agent_status: 'processing',
      title: 'Greeting',
    });
    workspace.stop(ADA, 'general', thread_ts);
    expect(inner(events.at(-1))).toMatchObject({ thread_ts, streaming_message_ts: [] });
    expect(status('active', { title: 'Another' })).toMatchObject({ title: 'Greeting' });
    expect(() => workspace.stop(ADA, 'general', thread_ts)).toThrow('Nothing is under way');
    expect(status('asleep')).toMatchObject({ error: 'invalid_status' });
    expect(status('active', { initiator_user_id: 'U0NOBODY' })).toMatchObject({ error: 'user_not_found' });
    const elsewhere = { channel_id: 'C0CLOSED00', thread_ts, status: 'active' };
    expect(call('agents.sessions.setStatus', elsewhere)).toMatchObject({ error: 'not_authorized' });
    expect(call('agents.sessions.setStatus', { channel_id: channel, status: 'active' })).toMatchObject({
      error: 'thread_ts_required',
    });
  });

  test('shares its place with the status text: the last call wins', () => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const at = { channel_id: channel, thread_ts };
    const press = () => workspace.stop(ADA, 'general', thread_ts);
    call('agents.sessions.setStatus', { ...at, status: 'processing' });
    press();
    call('assistant.threads.setStatus', { ...at, status: 'is thinking…' });
    expect(press).toThrow('A status stands');
    call('assistant.threads.setStatus', { ...at, status: '' });
    expect(press).toThrow('A status stands');
    call('agents.sessions.setStatus', { ...at, status: 'processing' });
    expect(workspace.state.statuses.size).toBe(0);
    press();
    call('assistant.threads.setStatus', { ...at, status: 'is thinking…' });
    const { ts } = call('chat.startStream', { channel, thread_ts, ...recipient, markdown_text: 'Hi' });
    press();
    expect(call('chat.stopStream', { channel, ts })).toMatchObject({ error: 'stopped_by_user' });
  });

  test('is also shown and removed by a stream', () => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const status = () => [...workspace.state.sessions.values()].map((one) => one.status);
    const start = () =>
      call('chat.startStream', { channel, thread_ts, ...recipient, markdown_text: 'Hi' })['ts'];
    const first = start();
    expect(status()).toEqual(['processing']);
    expect(call('chat.stopStream', { channel, ts: first, session_status: 'asleep' })).toMatchObject({
      error: 'invalid_status',
    });
    call('chat.stopStream', { channel, ts: first });
    expect(status()).toEqual(['active']);
    call('chat.stopStream', { channel, ts: start(), session_status: 'suspended' });
    expect(status()).toEqual(['suspended']);
  });

  test.each([
    ['agents.sessions', 'agents.sessions.setStatus', 'assistant.threads.setStatus'],
    ['assistant.threads', 'assistant.threads.setStatus', 'agents.sessions.setStatus'],
  ] as const)('is absent in a workspace without %s', (api, method, accepted) => {
    const { workspace, call, channel, recipient } = setUp({ identity: { refusedApis: { [api]: 'gone' } } });
    const thread_ts = workspace.say(ADA, '@parley hi');
    const status = { channel_id: channel, thread_ts, status: 'processing' };
    expect(call(method, status)).toEqual({ ok: false, error: 'gone' });
    expect(call(accepted, status)).toMatchObject({ ok: true });
    call('chat.startStream', { channel, thread_ts, ...recipient });
    expect(workspace.state.sessions.size).toBe(api === 'agents.sessions' ? 0 : 1);
  });

  test('is absent for an app without the event subscription', () => {
    const subscriptions = DEFAULT_IDENTITY.subscriptions.filter((name) => name !== 'agent_session_stopped');
    const { workspace, call, channel, recipient } = setUp({ identity: { subscriptions } });
    const thread_ts = workspace.say(ADA, '@parley hi');
    call('chat.startStream', { channel, thread_ts, ...recipient });
    expect(() => workspace.stop(ADA, 'general', thread_ts)).toThrow('does not listen');
  });
});
