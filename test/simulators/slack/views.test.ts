import { describe, expect, test } from '@jest/globals';
import { ADA, GRACE, inner, setUp, text } from './harness.ts';
import { isJson } from './state.ts';

const plain = (words: string) => ({ type: 'plain_text', text: words });
const line = (more: object = {}) => ({ type: 'plain_text_input', action_id: 'value', ...more });
const input = (id: string, element: object) => ({ type: 'input', block_id: id, label: plain(id), element });
const option = (value: string) => ({ text: plain(value), value });
const modal = (more: object = {}) => ({
  type: 'modal',
  callback_id: 'form',
  title: plain('A form'),
  submit: plain('Send'),
  blocks: [input('name', line({ max_length: 5 }))],
  ...more,
});

function withForm(view: object = modal()) {
  const all = setUp();
  const called = all.workspace.command(ADA, '/parley persona save', 'general');
  const open = () => all.call('views.open', { trigger_id: called['trigger_id'], view });
  return { ...all, called, open };
}

test('a command is sent as fields with a response_url', () => {
  const { called, workspace, channel } = withForm();
  expect(called).toMatchObject({
    command: '/parley',
    text: 'persona save',
    user_id: ADA,
    channel_id: channel,
    channel_name: 'general',
    is_enterprise_install: 'false',
  });
  const id = text(called['response_url']).split('/').at(-1) ?? '';
  expect(workspace.respond(id, { text: 'Hi.' })).toEqual({ ok: true });
  const messages = [...(workspace.state.messages.get(channel)?.values() ?? [])];
  expect(messages).toMatchObject([{ text: 'Hi.', ephemeralTo: ADA }]);
});

describe('a modal', () => {
  test('opens once for a trigger, within three seconds', () => {
    const { open, clock, call, workspace } = withForm();
    // Empty inputs are included too (slackapi/bolt-python, test_view_submission).
    const rest = { close: null, clear_on_close: false, notify_on_close: false, previous_view_id: null };
    expect(open()).toMatchObject({ ok: true, view: { type: 'modal', callback_id: 'form', ...rest } });
    expect(open()).toMatchObject({ error: 'exchanged_trigger_id' });
    expect(call('views.open', { trigger_id: '1.2.3', view: modal() })).toMatchObject({
      error: 'invalid_trigger_id',
    });
    const late = workspace.command(ADA, '/parley', 'general')['trigger_id'];
    clock.advance(3_000);
    expect(call('views.open', { trigger_id: late, view: modal() })).toMatchObject({
      error: 'expired_trigger_id',
    });
  });

  test('has at most 250 KB, as App Home has', () => {
    const { open, call } = withForm();
    const large = Array.from({ length: 90 }, () => ({ type: 'section', text: plain('x'.repeat(2_900)) }));
    expect(call('views.publish', { user_id: ADA, view: { type: 'home', blocks: large } })).toMatchObject({
      error: 'view_too_large',
    });
    const small = large.slice(0, 80);
    expect(call('views.publish', { user_id: ADA, view: { type: 'home', blocks: small } })).toMatchObject({
      ok: true,
    });
    expect(open()).toMatchObject({ ok: true });
    const other = withForm(modal({ blocks: large }));
    expect(other.open()).toMatchObject({ error: 'view_too_large' });
  });

  test('is submitted with its values, and then closed', () => {
    const { open, workspace } = withForm();
    open();
    expect(() => workspace.submission(GRACE, {})).toThrow('no form');
    expect(() => workspace.submission(ADA, {})).toThrow('name is missing');
    expect(() => workspace.submission(ADA, { name: 'too long' })).toThrow('longer');
    expect(() => workspace.submission(ADA, { name: 'x', other: 'y' })).toThrow('No such input');
    expect(workspace.submission(ADA, { name: 'Ada' })).toMatchObject({
      type: 'view_submission',
      user: { id: ADA },
      view: { state: { values: { name: { value: { type: 'plain_text_input', value: 'Ada' } } } } },
    });
    workspace.closeView(ADA);
    expect(() => workspace.submission(ADA, { name: 'Ada' })).toThrow('no form');
  });

  test('with notify_on_close is reported when it is closed', () => {
    const { open, workspace } = withForm(modal({ notify_on_close: true }));
    open();
    expect(workspace.closing(ADA)).toMatchObject({ type: 'view_closed', view: { callback_id: 'form' } });
  });

  test('is updated unless the hash is old, and stacked at most three deep', () => {
    const { open, call, workspace } = withForm();
    const { view } = open();
    if (!isJson(view)) throw new Error('no view');
    const update = { view_id: view['id'], hash: view['hash'], view: modal({ title: plain('Other') }) };
    expect(call('views.update', update)).toMatchObject({ ok: true, view: { title: { text: 'Other' } } });
    expect(call('views.update', update)).toMatchObject({ error: 'hash_conflict' });
    const push = () => {
      const { trigger_id } = workspace.command(ADA, '/parley', 'general');
      return call('views.push', { trigger_id, view: modal() });
    };
    expect([push()['ok'], push()['ok'], push()['error']]).toEqual([true, true, 'push_limit_reached']);
  });

  test.each<[string, object, string]>([
    ['a long title', { title: plain('x'.repeat(25)) }, 'title'],
    ['no title', { title: undefined }, 'title'],
    ['an input without a submit button', { submit: undefined }, 'submit'],
    ['too much private metadata', { private_metadata: 'x'.repeat(3_001) }, 'private_metadata'],
    ['101 blocks', { blocks: Array.from({ length: 101 }, () => ({ type: 'divider' })) }, ''],
    ['Markdown', { blocks: [{ type: 'markdown', text: 'x' }] }, 'markdown'],
    ['an input of 3,001', { blocks: [input('a', line({ max_length: 3_001 }))] }, 'max_length'],
    [
      'too long a text',
      { blocks: [input('a', line({ max_length: 1, initial_value: 'xx' }))] },
      'initial_value',
    ],
    ['a long hint', { blocks: [input('a', line({ placeholder: plain('x'.repeat(151)) }))] }, 'placeholder'],
    ['one id twice', { blocks: [input('a', line()), input('a', line())] }, 'already exists'],
  ])('with %s is refused', (_, more, why) => {
    const answer = withForm(modal(more)).open();
    expect(answer).toMatchObject({ ok: false, error: 'invalid_arguments' });
    expect(JSON.stringify(answer)).toContain(why);
  });

  test('of 100 blocks is accepted', () => {
    const blocks = Array.from({ length: 100 }, () => ({ type: 'divider' }));
    expect(withForm(modal({ blocks })).open()).toMatchObject({ ok: true });
  });
});

describe('a select menu', () => {
  const menu = (more: object = {}) => ({
    type: 'static_select',
    action_id: 'pick',
    options: [option('a'), option('b')],
    ...more,
  });
  const post = (element: object) => {
    const { call, channel, workspace } = setUp();
    const blocks = [{ type: 'section', text: plain('Pick'), accessory: element }];
    return { workspace, answer: call('chat.postMessage', { channel, blocks }) };
  };

  test('is chosen from', () => {
    const { workspace, answer } = post(menu({ initial_option: option('a') }));
    expect(workspace.press(ADA, text(answer['ts']), 'b')).toMatchObject({
      type: 'block_actions',
      actions: [{ type: 'static_select', action_id: 'pick', selected_option: { value: 'b' } }],
    });
  });

  test.each<[string, object]>([
    ['no options', { options: [] }],
    ['101 options', { options: Array.from({ length: 101 }, (_, n) => option(String(n))) }],
    ['a long text', { options: [{ text: plain('x'.repeat(76)), value: 'x' }] }],
    ['a long value', { options: [option('x'.repeat(151))] }],
    ['one value twice', { options: [option('a'), option('a')] }],
    ['a long description', { options: [{ ...option('a'), description: plain('x'.repeat(76)) }] }],
    ['an initial option that is not an option', { initial_option: option('c') }],
  ])('with %s is refused', (_, more) => {
    expect(post(menu(more)).answer).toMatchObject({ error: 'invalid_blocks' });
  });
});

test('App Home is opened, shown and clicked', () => {
  const { workspace, events, call } = setUp();
  workspace.openHome(ADA);
  expect(inner(events[0])).toMatchObject({ type: 'app_home_opened', user: ADA, tab: 'home' });
  expect(() => workspace.pressHome(ADA, 'Go')).toThrow('no App Home');
  const button = { type: 'button', action_id: 'go', text: plain('Go'), value: 'x' };
  const view = { type: 'home', blocks: [{ type: 'actions', elements: [button] }] };
  expect(call('views.publish', { user_id: ADA, view })).toMatchObject({ ok: true });
  expect(workspace.pressHome(ADA, 'Go')).toMatchObject({
    container: { type: 'view' },
    view: { type: 'home' },
    actions: [{ action_id: 'go', value: 'x' }],
  });
  expect(() => workspace.pressHome(GRACE, 'Go')).toThrow('no App Home');
});

test('a shortcut contains its message', () => {
  const { workspace, channel } = setUp();
  const ts = workspace.say(GRACE, 'see this');
  expect(workspace.shortcut(ADA, 'ask-about', ts)).toMatchObject({
    type: 'message_action',
    callback_id: 'ask-about',
    channel: { id: channel },
    message: { ts, text: 'see this', user: GRACE },
  });
});
