import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../../shared/domain/index.ts';
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
