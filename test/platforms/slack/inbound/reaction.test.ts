import { describe, expect, test } from '@jest/globals';
import { messageId, workspaceId, channelId } from '../../../../shared/domain/index.ts';
import { findMessage } from '../../../../shared/platforms/slack/lookup/message.ts';
import { parseReaction } from '../../../../shared/platforms/slack/inbound/reaction.ts';
import { createDirectClient } from '../../../simulators/slack/direct-client.ts';
import { createWorkspace } from '../../../simulators/slack/index.ts';
import { DEFAULT_IDENTITY } from '../../../simulators/slack/identity.ts';
import { fakeTime } from '../fake-slack.ts';

const event = (changes: object = {}) => ({
  team_id: 'T1',
  event_id: 'Ev1',
  type: 'event_callback',
  event: {
    type: 'reaction_added',
    user: 'U1',
    item: { type: 'message', channel: 'C1', ts: '1.1' },
    reaction: 'memo',
    item_user: 'U2',
    event_ts: '2.2',
    ...changes,
  },
});

describe('a reaction', () => {
  test.each(['memo', 'pencil'])(
    '%s on a message requests its transcription; a redelivery is the same request',
    (reaction) => {
      const read = () => parseReaction(event({ reaction }), 0)?.interaction;
      expect(read()).toMatchObject({
        workspace: 'T1',
        channel: 'C1',
        by: { user: 'U1' },
        responseToken: '',
        payload: { kind: 'reacted', name: 'transcribe', message: '1.1' },
      });
      expect(read()?.id).toBe(read()?.id);
      expect(parseReaction({ ...event(), event_id: 'Ev2' }, 0)?.interaction.id).not.toBe(read()?.id);
    },
  );

  test.each([
    ['another', { reaction: 'heart_eyes' }],
    ['on a file', { item: { type: 'file', file: 'F1' } }],
    ['without a person', { user: undefined }],
  ])('%s requests nothing', (_, changes) => {
    expect(parseReaction(event(changes), 0)).toBeUndefined();
  });
});

test('the message of a reaction is read with its thread and files; a deleted one is not found', async () => {
  const workspace = createWorkspace();
  const call = createDirectClient(workspace);
  const content = new Uint8Array(10);
  const files = [{ name: 'clip.m4a', content, mimetype: 'audio/mp4' }];
  const root = workspace.say('U0ADA00000', 'hi', {});
  const ts = workspace.say('U0ADA00000', 'hear this', { thread: root, files });
  const place = { workspace: workspaceId(DEFAULT_IDENTITY.teamId), channel: channelId(workspace.channel) };
  const deps = { call, time: fakeTime() };
  expect(await findMessage(deps, place, messageId(ts))).toMatchObject({
    thread: { root },
    id: ts,
    author: 'U0ADA00000',
    attachments: [{ name: 'clip.m4a', mimetype: 'audio/mp4' }],
  });
  workspace.remove('U0ADA00000', workspace.channel, ts);
  expect(await findMessage(deps, place, messageId(ts))).toBeUndefined();
});

const until = (now: number) => parseReaction(event(), now)?.interaction.tokenExpiresAtMs ?? 0;

test('a reaction is accepted as long as an event may be late', () => {
  expect(until(1_000_000)).toBe(until(0) + 1_000_000);
  expect(until(0)).toBeGreaterThan(0);
});
