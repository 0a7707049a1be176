import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseEvent } from '../../../shared/platforms/slack/inbound/parse-event.ts';

const TS = '1700000000.000100';
const EDITED = '1700000005.000000';
const EVENT = '1700000005.000200';
const ROOT = '1690000000.000100';
const PNG = { id: 'F1', name: 'a.png', mimetype: 'image/png', size: 12 };

const old = { type: 'message', user: 'U1', team: 'T1', ts: TS, text: '<@UBOT> hello' };
const edited = { ...old, text: '<@UBOT> hello again', edited: { user: 'U1', ts: EDITED } };

function read(event: Record<string, unknown>) {
  const parsed = parseEvent(
    {
      type: 'event_callback',
      team_id: 'T1',
      api_app_id: 'A1',
      authorizations: [{ team_id: 'T1', user_id: 'UBOT', is_bot: true }],
      event: {
        type: 'message',
        channel: 'C1',
        channel_type: 'channel',
        ts: EVENT,
        event_ts: EVENT,
        ...event,
      },
    },
    {},
  );
  return parsed.kind === 'chatEvent' ? parsed.chatEvent : parsed;
}

const change = (
  message: Record<string, unknown>,
  before: Record<string, unknown> | undefined = {},
  event: Record<string, unknown> = {},
) =>
  read({
    subtype: 'message_changed',
    hidden: true,
    message: { ...edited, ...message },
    previous_message: { ...old, ...before },
    ...event,
  });

const again = (more: object) => read({ ...edited, type: 'app_mention', channel_type: undefined, ...more });

describe('an edit', () => {
  test('of a mention is the same in the mention that Slack sends again', () => {
    expect(again({ files: [] })).toEqual(change({}));
    expect(again({ bot_id: 'B6', app_id: 'A6' })).toEqual({ kind: 'drop', reason: 'bot' });
    expect(again({ user: 'UBOT' })).toEqual({ kind: 'drop', reason: 'own' });
  });

  test('is the message with its new text and the time of the edit', () => {
    expect(change({})).toEqual({
      kind: 'message-edited',
      at: EDITED,
      message: {
        thread: { platform: 'slack', workspace: 'T1', channel: 'C1', root: TS },
        id: TS,
        author: 'U1',
        authorWorkspace: 'T1',
        text: 'hello again',
        attachments: [],
        addressed: 'mention',
      },
    });
  });

  test.each([
    ['a mention that is added', {}, { text: 'hello' }, {}, 'mention'],
    ['a mention that is removed', { text: 'hello' }, {}, {}, 'if-member'],
    ['a reply', { thread_ts: ROOT, text: 'b' }, { thread_ts: ROOT, text: 'a' }, {}, 'if-member'],
    ['a direct message', { text: 'b' }, { text: 'a' }, { channel: 'D1', channel_type: 'im' }, 'direct'],
    ['a group of people', {}, {}, { channel: 'G1', channel_type: 'mpim' }, 'mention'],
    ['a message with a file', { subtype: 'file_share', files: [PNG] }, {}, {}, 'mention'],
  ])('of %s', (_, message, before, event, addressed) => {
    expect(change(message, before, event)).toMatchObject({ kind: 'message-edited', message: { addressed } });
  });

  test('of files only is recognized by the time of its event', () => {
    const same = { text: 'x', edited: { ts: EDITED }, channel: 'D1' };
    const at = { channel: 'D1', channel_type: 'im' };
    const less = change({ ...same, files: [PNG] }, { ...same, files: [PNG, { id: 'F2' }] }, at);
    expect(less).toMatchObject({
      kind: 'message-edited',
      at: EVENT,
      message: { attachments: [{ id: 'F1' }] },
    });
    // A message that was delivered before all of its files were there.
    const more = change({ files: [PNG, { ...PNG, id: 'F2' }], edited: undefined }, { files: [PNG] });
    expect(more).toMatchObject({
      kind: 'message-edited',
      at: EVENT,
      message: { attachments: [{ id: 'F1' }, { id: 'F2' }] },
    });
    const removal = change(
      { ...same, files: [PNG, { id: 'F2', mode: 'tombstone' }] },
      { ...same, files: [PNG, { id: 'F2' }] },
      at,
    );
    expect(removal).toMatchObject({
      kind: 'message-edited',
      at: EVENT,
      message: { attachments: [{ id: 'F1' }] },
    });
  });

  test('without the earlier text counts if Slack marks it as an edit', () => {
    const event = { subtype: 'message_changed' };
    expect(read({ ...event, message: edited })).toMatchObject({ kind: 'message-edited', at: EDITED });
    expect(read({ ...event, message: old })).toEqual({ kind: 'drop', reason: 'unchanged' });
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['an unfolded link', { text: old.text, attachments: [{ title: 'a page' }] }, {}, 'unchanged'],
    ['a new reply count', { text: old.text, edited: {}, reply_count: 2 }, { edited: {} }, 'unchanged'],
    [
      'a viewed file',
      { text: 'x', files: [{ ...PNG, thumb_64: 'y' }] },
      { text: 'x', files: [PNG] },
      'unchanged',
    ],
    ['an update by the bot', { user: 'UBOT', bot_id: 'B1' }, { user: 'UBOT' }, 'own'],
    ['a stream of the bot', { user: 'UBOT', text: old.text }, { user: 'UBOT' }, 'own'],
    ["the bot's app", { bot_id: 'B1', app_id: 'A1', user: 'U5' }, {}, 'own'],
    ['another bot', { bot_id: 'B7', user: 'U7' }, {}, 'bot'],
    ['a new thread title', { subtype: 'assistant_app_thread' }, {}, 'subtype'],
    ['a removed text', { text: '<@UBOT>' }, {}, 'empty'],
  ])('%s is not an edit', (_, message, before, reason) => {
    const event = { subtype: 'message_changed', hidden: true };
    expect(
      read({ ...event, message: { ...edited, ...message }, previous_message: { ...old, ...before } }),
    ).toEqual({ kind: 'drop', reason });
  });
});

const deletion = (was: Record<string, unknown> | undefined, event: Record<string, unknown> = {}) =>
  read({
    subtype: 'message_deleted',
    hidden: true,
    deleted_ts: TS,
    ...(was && { previous_message: { ...old, ...was } }),
    ...event,
  });

describe('a deletion', () => {
  const thread = { platform: 'slack', workspace: 'T1', channel: 'C1', root: TS };

  test.each([
    ['a thread root', {}],
    ['a thread root with itself as thread', { thread_ts: TS }],
    ['a thread root of another bot', { bot_id: 'B2', user: 'U2' }],
    ['a message without earlier content', undefined],
  ])('of %s', (_, was) => {
    expect(deletion(was)).toMatchObject({ kind: 'message-deleted', thread, message: TS });
  });

  test('reports whether the message had recordings, if Slack includes it', () => {
    const clip = {
      id: 'F1',
      name: 'audio.m4a',
      mimetype: 'audio/mp4',
      size: 9,
      url_private: 'https://files.slack.com/f',
    };
    expect(deletion({ files: [clip] })).toMatchObject({ hasRecordings: true });
    expect(deletion({})).toMatchObject({ hasRecordings: false });
    expect(deletion(undefined)).not.toHaveProperty('spoken');
    // A file of another organization, without data from Slack.
    const untold = { id: 'F1', mode: 'file_access', file_access: 'check_file_info' };
    expect(deletion({ files: [untold] })).not.toHaveProperty('spoken');
  });

  test('of a reply keeps the root of its thread', () => {
    const expected = {
      kind: 'message-deleted',
      thread: { ...thread, root: ROOT },
      message: TS,
      hasRecordings: false,
    };
    expect(deletion({ thread_ts: ROOT })).toEqual(expected);
    expect(deletion({ thread_ts: ROOT }, { deleted_ts: undefined })).toEqual(expected);
  });

  test('that leaves a tombstone above replies counts once', () => {
    const tombstone = { subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.', ts: TS };
    const event = { subtype: 'message_changed', hidden: true, message: { ...tombstone, thread_ts: TS } };
    expect(read({ ...event, previous_message: { ...old, thread_ts: TS } })).toEqual({
      kind: 'message-deleted',
      thread,
      message: TS,
      hasRecordings: false,
    });
    expect(read({ ...event, previous_message: tombstone })).toEqual({ kind: 'drop', reason: 'unchanged' });
  });

  test.each([
    ['an answer of the bot', { user: 'UBOT', bot_id: 'B1' }, 'own'],
    ['the reply of another bot', { user: 'U2', bot_id: 'B2' }, 'bot'],
    ['a channel_join', { subtype: 'channel_join' }, 'subtype'],
  ])('of %s is ignored', (_, was, reason) => {
    expect(deletion({ ...was, thread_ts: ROOT })).toEqual({ kind: 'drop', reason });
  });
});

test("the parser recognizes Slack's own Stop", () => {
  const stop = { type: 'agent_session_stopped', user: 'U1', thread_ts: ROOT, streaming_message_ts: [TS] };
  expect(read(stop)).toEqual({
    kind: 'thread-stop-clicked',
    thread: { platform: 'slack', workspace: 'T1', channel: 'C1', root: ROOT },
    by: 'U1',
  });
  for (const part of ['user', 'thread_ts', 'channel']) {
    expect(read({ ...stop, [part]: undefined })).toEqual({ kind: 'unreadable' });
  }
});

const direct = (files: unknown, text = '') =>
  read({ ...old, ts: TS, channel: 'D1', subtype: 'file_share', text, files });

describe('the files of a changed message', () => {
  test.each<[string, unknown, unknown]>([
    ['as Slack sends them', PNG, { id: 'F1', name: 'a.png', mimetype: 'image/png', bytes: 12 }],
    [
      'of another organization, with only an id',
      { id: 'F1', mode: 'file_access', file_access: 'check_file_info', created: 0, timestamp: 0 },
      { id: 'F1', name: '', mimetype: '', bytes: 0 },
    ],
    [
      'a voice clip, whose type may be missing',
      { id: 'F1', name: 'audio_message.m4a', mimetype: '', size: 9, subtype: 'slack_audio' },
      { id: 'F1', name: 'audio_message.m4a', mimetype: '', bytes: 9 },
    ],
    [
      'with a title and no name',
      { ...PNG, name: null, title: 'A picture' },
      { id: 'F1', name: 'A picture', mimetype: 'image/png', bytes: 12 },
    ],
    [
      'with a name with line breaks, or without end',
      { ...PNG, name: `a\n\u0000b${'c'.repeat(500)}` },
      { id: 'F1', name: `a b${'c'.repeat(197)}`, mimetype: 'image/png', bytes: 12 },
    ],
  ])('are parsed: %s', (_, file, attachment) => {
    expect(direct([file])).toMatchObject({
      kind: 'message',
      message: { text: '', attachments: [attachment] },
    });
  });

  test('keep their order, without malformed and deleted files', () => {
    const files = [PNG, null, 7, {}, { id: 'a#b' }, { id: 'F2', mode: 'tombstone' }, { ...PNG, id: 'F3' }];
    expect(direct(files)).toMatchObject({ message: { attachments: [{ id: 'F1' }, { id: 'F3' }] } });
    expect(direct(undefined, 'words')).toMatchObject({ message: { attachments: [] } });
  });
});

test('no change throws, whatever it contains', () => {
  const part = fc.oneof(fc.anything(), fc.constantFrom<unknown>(TS, 'U1', old, edited, null, []));
  const event = fc.record(
    {
      subtype: fc.constantFrom('message_changed', 'message_deleted', 'message_replied'),
      channel: part,
      message: fc.oneof(part, fc.dictionary(fc.constantFrom(...Object.keys(edited), 'files'), part)),
      previous_message: part,
      deleted_ts: part,
    },
    { requiredKeys: ['subtype'] },
  );
  fc.assert(
    fc.property(event, (sent) => {
      expect(['message-edited', 'message-deleted', 'drop', 'unreadable']).toContain(read(sent).kind);
    }),
    { numRuns: 500 },
  );
});
