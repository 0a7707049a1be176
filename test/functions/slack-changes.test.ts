import { describe, expect, test } from '@jest/globals';
import { FORM, front, keyOf, mention, press, ROOT, signed } from './slack.ts';

const TS = '1700000000.000100';
const EDITED = '1700000005.000000';

const old = { type: 'message', user: 'U1', team: 'T1', ts: TS, text: '<@UBOT> hello' };
const changed = (text: string, was: object = old) =>
  mention({
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    ts: '1700000005.000200',
    message: { ...was, text, edited: { user: 'U1', ts: EDITED } },
    previous_message: was,
  });
const deleted = (was: object = old) =>
  mention({
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    deleted_ts: TS,
    previous_message: was,
  });

describe('the Slack front, after a question', () => {
  test('sends an edit as a task of the same thread, deduplicated', async () => {
    const { handle, effects, tasks, records } = front();
    await handle(signed(mention()));
    const edit = signed(changed('<@UBOT> hello again'));
    expect(await handle(edit)).toEqual({ statusCode: 200, body: '' });
    await handle(edit);
    expect(tasks()).toMatchObject([
      { kind: 'ask' },
      { kind: 'redo', message: TS, change: { kind: 'edited', question: 'hello again' } },
      { kind: 'redo' },
    ]);
    expect(effects.sent[1]).toEqual(effects.sent[2]);
    expect(new Set(effects.sent.map(({ group }) => group))).toEqual(new Set([keyOf(TS)]));
    expect(records()).toMatchObject([{ mark: { S: 'edited' } }]);
  });

  test('accepts an edit that adds a mention as a question and ignores other edits', async () => {
    const { handle, tasks } = front();
    await handle(signed(changed('lunch at one?', { ...old, text: 'lunch?' })));
    expect(tasks()).toEqual([]);
    await handle(signed(changed('<@UBOT> lunch?', { ...old, text: 'lunch?' })));
    expect(tasks()).toMatchObject([{ kind: 'ask', question: 'lunch?' }]);
  });

  test('signals a deleted question and sends a task of the same thread', async () => {
    const { handle, effects, tasks, records } = front();
    await handle(signed(mention()));
    await handle(signed(deleted()));
    expect(tasks()).toMatchObject([{ kind: 'ask' }, { message: TS }]);
    expect(effects.sent[1]?.group).toBe(keyOf(TS));
    expect(effects.sent[1]?.dedup).not.toBe(effects.sent[0]?.dedup);
    expect(records().filter(({ id }) => id?.S === TS)).toMatchObject([{ mark: { S: 'deleted' } }]);
  });

  test('ignores replies in a thread whose root message was deleted', async () => {
    const { handle, tasks, takePart } = front();
    await takePart(ROOT);
    const reply = mention({ type: 'message', text: 'and then?', thread_ts: ROOT });
    await handle(signed(reply));
    const was = { ...old, ts: ROOT, text: 'x' };
    await handle(signed(mention({ ...deleted(was).event, deleted_ts: ROOT })));
    const sent = tasks().length;
    await handle(signed(mention({ ...reply.event, ts: '1700000009.000100' })));
    expect(sent).toBeGreaterThan(0);
    expect(tasks()).toHaveLength(sent);
  });

  test("accepts Slack's own Stop without a task", async () => {
    const stop = mention({ type: 'agent_session_stopped', thread_ts: TS, streaming_message_ts: ['1.2'] });
    const { handle, effects } = front();
    expect(await handle(signed(stop))).toEqual({ statusCode: 200, body: '' });
    expect(effects.log.join()).toContain('"kind":"thread-stop-clicked","outcome":"done"');
    expect(effects.sent).toEqual([]);
  });
});

describe('the Slack front, for a button below an answer', () => {
  const value = { t: ROOT, m: ROOT, kind: 'regenerate', model: 'm2' };

  test('sends one task for each press', async () => {
    const { handle, effects, tasks, takePart } = front();
    await takePart(ROOT);
    expect(await handle(press({ value }))).toEqual({ statusCode: 200, body: '' });
    await handle(press({ value }));
    expect(tasks()[0]).toMatchObject({ kind: 'redo', by: 'U1', change: { kind: 'regenerate', model: 'm2' } });
    expect(effects.sent[0]).toEqual(effects.sent[1]);
    expect(effects.sent[0]?.dedup.length).toBeLessThanOrEqual(128);
  });

  test('signals the turn for Stop, also when the form is not base64', async () => {
    const { handle, records, takePart } = front();
    await takePart(ROOT);
    const sent = press({ value: { t: ROOT, m: ROOT, kind: 'stop' }, id: 'parley:stop' });
    const plain = { ...sent, body: Buffer.from(sent.body, 'base64').toString(), isBase64Encoded: false };
    expect(await handle(plain)).toEqual({ statusCode: 200, body: '' });
    expect(records()).toMatchObject([{ mark: { S: 'stopped' } }]);
  });

  test('ignores a button whose answer is no longer stored', async () => {
    const { handle, effects } = front();
    expect(await handle(press({ value }))).toEqual({ statusCode: 200, body: '' });
    expect(effects.sent).toEqual([]);
    expect(effects.log.join()).toContain('"outcome":"ignored"');
  });

  test.each([
    ['altered', { value: { ...value, t: 'x' } }],
    ['of an earlier version', { value: 'old', id: 'parley:old' }],
    ['too long', { value: JSON.stringify(value) + ' '.repeat(2_000) }],
    ['of another app', { value, id: 'approve' }],
    ['in another thread', { value, outer: { container: { thread_ts: '1690000005.000100' } } }],
    ['on nothing', { value, outer: { actions: [] } }],
    ['on a view', { value, outer: { container: { type: 'view' }, channel: undefined, view: { id: 'V1' } } }],
  ])('responds 200 and calls nothing when the button is %s', async (_, of) => {
    const { handle, effects } = front();
    expect(await handle(press(of))).toEqual({ statusCode: 200, body: '' });
    expect(effects.io).toBe(0);
  });

  test.each(['get', 'send'] as const)('responds 503 when %s fails', async (fail) => {
    const { handle, effects, takePart } = front({ fail });
    await takePart(ROOT);
    expect(await handle(press({ value }))).toEqual({ statusCode: 503, body: '' });
    expect(effects.log.join()).not.toContain('secret in its words');
  });

  test('does not parse an unsigned press', async () => {
    const { handle, effects } = front();
    const sent = press({ value });
    expect(await handle({ ...sent, headers: { ...sent.headers, 'x-slack-signature': 'v0=0' } })).toEqual({
      statusCode: 401,
      body: '',
    });
    expect(effects).toMatchObject({ io: 0, log: [] });
  });
});

test.each([
  ['a command', 'command=%2Fask&team_id=T1&text=x&user_id=U1'],
  ['a shortcut', form({ type: 'shortcut', callback_id: 'ask_global', trigger_id: 'x' })],
  ['a shortcut on a message', form({ type: 'message_action', callback_id: 'x', channel: { id: 'C1' } })],
  ['a submitted view', form({ type: 'view_submission', view: { id: 'V1', callback_id: 'x' } })],
  ['an unknown interaction type', form({ type: 'tap' })],
  ['an ssl_check', 'ssl_check=1&token=x'],
])('the Slack front responds 200 with an empty body to %s that is not of this app', async (_, body) => {
  const { handle, effects } = front();
  expect(await handle(signed(body, FORM))).toEqual({ statusCode: 200, body: '' });
  expect(effects.io).toBe(0);
});

test('the Slack front responds with no options to an external select menu', async () => {
  const { handle } = front();
  const body = form({ type: 'block_suggestion', action_id: 'card:0-0', value: '' });
  expect(await handle(signed(body, FORM))).toEqual({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"options":[]}',
  });
});

function form(payload: object): string {
  const full = { user: { id: 'U1', team_id: 'T1' }, team: { id: 'T1', domain: 'x' }, ...payload };
  return new URLSearchParams({ payload: JSON.stringify(full) }).toString();
}
