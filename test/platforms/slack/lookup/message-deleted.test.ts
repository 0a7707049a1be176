import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import { isMessageDeleted } from '../../../../shared/platforms/slack/lookup/message.ts';

const workspace = workspaceId('T1');
const thread = {
  platform: 'slack',
  workspace,
  channel: channelId('C1'),
  root: messageId('1.000001'),
} as const;
const turn = { thread, message: messageId('1.000002'), asker: userId('U1'), askerWorkspace: workspace };

test.each([
  ['its message and the root are there', [{ ts: '1.000001' }, { ts: '1.000002' }], false],
  ['its message is gone', [{ ts: '1.000001' }], true],
  ['its message is a tombstone', [{ ts: '1.000001' }, { ts: '1.000002', subtype: 'tombstone' }], true],
  [
    'the root of its thread is a tombstone',
    [{ ts: '1.000001', subtype: 'tombstone' }, { ts: '1.000002' }],
    true,
  ],
])('a question counts as deleted or not when %s', async (_, messages, expected) => {
  const call = () => Promise.resolve({ ok: true, messages });
  expect(await isMessageDeleted({ call }, turn)).toBe(expected);
});

test.each([
  ['channel_not_found', true],
  ['thread_not_found', true],
  ['restricted_action', false],
  ['missing_scope', false],
])('a question counts as deleted or not when Slack refuses to show it with %s', async (code, expected) => {
  const call = (method: string) => Promise.reject(new SlackApiError(method, code));
  expect(await isMessageDeleted({ call }, turn)).toBe(expected);
});
