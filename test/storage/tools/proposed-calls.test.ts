import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { ProposedCalls } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const DAY_MS = 86_400_000;
const CALL = {
  thread: {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1700000000.000100'),
  },
  by: userId('U1'),
  server: 'jira',
  tool: 'create_issue',
  args: { title: 'Broken' },
} as const;

test('a call is stored once per request; a day later the same request stores a new one, before the table deletes the old one', async () => {
  const clock = { now: 1_700_000_000_000 };
  const calls = new ProposedCalls({
    dynamo: createMemoryDynamo(),
    table: 'conversations',
    now: () => clock.now,
  });
  const first = await calls.create('request', CALL);
  await calls.cancel(first);
  expect(await calls.create('request', CALL)).toMatchObject({ id: first.id, state: 'cancelled' });

  clock.now += DAY_MS;
  expect(await calls.find(CALL.thread, first.id)).toBeUndefined();
  expect(await calls.create('request', CALL)).toMatchObject({ id: first.id, state: 'proposed' });
  expect(await calls.find(CALL.thread, first.id)).toMatchObject({ state: 'proposed' });
});
