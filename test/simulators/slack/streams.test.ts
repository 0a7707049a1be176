import { describe, expect, test } from '@jest/globals';
import { ADA, setUp, text } from './harness.ts';

const card = (status: string) => [{ type: 'task_update', id: 't', title: 'Think', status }];

describe('streams', () => {
  test('grow, end, and accept nothing afterwards', () => {
    const { workspace, call, channel, recipient } = setUp();
    const root = workspace.say(ADA, '@parley hi');
    const ts = text(call('chat.startStream', { channel, thread_ts: root, ...recipient })['ts']);
    call('chat.appendStream', { channel, ts, markdown_text: 'Hello' });
    expect(call('chat.update', { channel, ts, text: 'x' })).toMatchObject({
      error: 'streaming_state_conflict',
    });
    const stopped = call('chat.stopStream', {
      channel,
      ts,
      markdown_text: ' **Ada**',
      metadata: JSON.stringify({ event_type: 'turn', event_payload: { id: '1' } }),
    });
    expect(stopped).toMatchObject({
      ok: true,
      message: { text: 'Hello **Ada**', streaming_state: 'completed' },
    });
    expect(call('chat.appendStream', { channel, ts, markdown_text: '!' })).toMatchObject({
      error: 'message_not_in_streaming_state',
    });
    expect(call('chat.stopStream', { channel, ts })).toMatchObject({
      error: 'message_not_in_streaming_state',
    });
    expect(call('conversations.replies', { channel, ts: root, include_all_metadata: true })).toMatchObject({
      messages: [
        { ts: root, reply_count: 1 },
        { ts, metadata: { event_type: 'turn' } },
      ],
    });
  });

  test('are closed after five minutes, and can then be updated', () => {
    const { clock, workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const ts = text(call('chat.startStream', { channel, thread_ts, ...recipient })['ts']);
    clock.advance(299_999);
    expect(call('chat.appendStream', { channel, ts, markdown_text: 'a' })).toMatchObject({ ok: true });
    clock.advance(1);
    expect(call('chat.appendStream', { channel, ts, markdown_text: 'b' })).toMatchObject({
      error: 'message_not_in_streaming_state',
    });
    expect(call('chat.update', { channel, ts, markdown_text: 'ab' })).toMatchObject({ ok: true, text: 'ab' });
  });

  test('require the recipient outside DMs', () => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const start = (more: object) => call('chat.startStream', { channel, thread_ts, ...more });
    expect(start({})).toMatchObject({ error: 'missing_recipient_team_id' });
    expect(start({ recipient_team_id: recipient.recipient_team_id })).toMatchObject({
      error: 'missing_recipient_user_id',
    });
    expect(start({ ...recipient, recipient_team_id: 'T0OTHER' })).toMatchObject({ error: 'team_not_found' });
    expect(start({ ...recipient, recipient_user_id: 'U0OTHER' })).toMatchObject({ error: 'user_not_found' });
    const direct = workspace.say(ADA, 'hi', { channel: 'dm' });
    expect(call('chat.startStream', { channel: 'D0ADA00000', thread_ts: direct })).toMatchObject({
      ok: true,
    });
    expect(start({ ...recipient, thread_ts: '1.000000' })).toMatchObject({ error: 'invalid_thread_ts' });
  });

  test('accept no undocumented argument', () => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const start = (more: object) => call('chat.startStream', { channel, thread_ts, ...recipient, ...more });
    expect(start({ unfurl_links: false })).toMatchObject({ error: 'invalid_arguments' });
    const ts = text(start({ markdown_text: 'a' })['ts']);
    for (const method of ['chat.appendStream', 'chat.stopStream']) {
      expect(call(method, { channel, ts, markdown_text: 'b', text: 'b' })).toMatchObject({
        error: 'invalid_arguments',
      });
    }
  });

  test.each([
    ['text', 'x', 10_600],
    ['text of three bytes a character', '漢', 3_533],
    ['emoji', '😀', 2_650],
  ])('have at most 10,600 bytes: %s', (_, character, maxLength) => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const start = (characters: number) =>
      call('chat.startStream', {
        channel,
        thread_ts,
        markdown_text: character.repeat(characters),
        ...recipient,
      });
    expect(start(maxLength + 1)).toMatchObject({ error: 'msg_too_long' });
    const ts = start(maxLength)['ts'];
    expect(call('chat.appendStream', { channel, ts, markdown_text: character })).toMatchObject({
      error: 'msg_too_long',
    });
    expect(call('chat.stopStream', { channel, ts })).toMatchObject({ ok: true });
  });

  test('count the titles of task cards, and their details twice, once they have text', () => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const chunks = [
      {
        type: 'task_update',
        id: 't',
        title: '考'.repeat(100),
        status: 'complete',
        details: '漢'.repeat(1_000),
      },
    ];
    const started = call('chat.startStream', { channel, thread_ts, chunks, ...recipient });
    const append = (words: string) =>
      call('chat.appendStream', {
        channel,
        ts: started['ts'],
        chunks: [{ type: 'markdown_text', text: words }],
      });
    expect(append('x'.repeat(10_600 - 6_300 + 1))).toMatchObject({ error: 'msg_too_long' });
    expect(append('x'.repeat(10_600 - 6_300))).toMatchObject({ ok: true });
    const large = [{ ...chunks[0], details: 'x'.repeat(20_000) }];
    expect(call('chat.startStream', { channel, thread_ts, chunks: large, ...recipient })).toMatchObject({
      ok: true,
    });
  });

  test('show task cards: a new title replaces the old one, new details are appended', () => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const read = { type: 'task_update', id: 't', title: 'Read', status: 'in_progress', details: 'one' };
    const chunks = [read];
    const ts = text(call('chat.startStream', { channel, thread_ts, chunks, ...recipient })['ts']);
    const last = [{ ...read, title: 'Have read', status: 'complete', details: ', two', output: 'three' }];
    call('chat.stopStream', { channel, ts, chunks: last });
    expect(workspace.state.messages.get(channel)?.get(ts)?.steps).toEqual([
      { id: 't', title: 'Have read', status: 'complete', details: 'one, two', output: 'three' },
    ]);
  });

  test('show task cards, replaced by id, and refuse malformed chunks', () => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(ADA, '@parley hi');
    const ts = text(call('chat.startStream', { channel, thread_ts, ...recipient })['ts']);
    call('chat.appendStream', { channel, ts, chunks: JSON.stringify(card('in_progress')) });
    call('chat.appendStream', { channel, ts, chunks: card('complete') });
    expect(workspace.state.messages.get(channel)?.get(ts)?.steps).toEqual([
      { id: 't', title: 'Think', status: 'complete' },
    ]);
    expect(call('chat.appendStream', { channel, ts, chunks: card('odd') })).toMatchObject({
      error: 'invalid_chunks',
    });
    call('chat.appendStream', { channel, ts, chunks: [{ type: 'plan_update', title: 'Plan' }] });
    call('chat.appendStream', { channel, ts, markdown_text: 'Done.' });
    const response = call('chat.stopStream', { channel, ts });
    expect(response['message']).toMatchObject({
      blocks: [
        { type: 'plan', title: 'Plan', tasks: [{ type: 'task_card', task_id: 't', status: 'complete' }] },
        { type: 'markdown', text: 'Done.' },
      ],
    });
    expect(call('chat.update', { channel, ts, markdown_text: 'Done!' })['message']).toMatchObject({
      blocks: [
        { type: 'plan', title: 'Plan' },
        { type: 'markdown', text: 'Done!' },
      ],
    });
    const blocks = [{ type: 'markdown', text: 'Done.' }];
    expect(call('chat.update', { channel, ts, text: 'Done.', blocks })['message']).toMatchObject({ blocks });
    const open = text(call('chat.startStream', { channel, thread_ts, ...recipient })['ts']);
    expect(call('chat.appendStream', { channel, ts: open })).toMatchObject({ error: 'no_text' });
  });
});
