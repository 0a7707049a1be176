import { expect, test } from '@jest/globals';
import { channelId, workspaceId } from '../../../shared/domain/index.ts';
import { type LoggedToolCall, ToolLog } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const place = (workspace: string) => ({
  platform: 'slack' as const,
  workspace: workspaceId(workspace),
  channel: channelId('C1'),
});
const call = (at: number, by = 'U1'): LoggedToolCall => ({
  at,
  by,
  tool: 'find',
  source: 'jira',
  ms: 120,
  outcome: 'done',
});

function harness(now = 5_000) {
  const dynamo = createMemoryDynamo();
  return { dynamo, log: new ToolLog({ dynamo, table: 'conversations', now: () => now }) };
}

test('the log of a workspace lists its own calls, the newest first', async () => {
  const { log } = harness();
  for (const at of [1_000, 20_000, 3_000]) await log.add(place('T1'), call(at));
  await log.add(place('T2'), call(4_000));
  expect(await log.list(place('T1'), 2)).toEqual([
    { ...call(20_000), channel: 'C1' },
    { ...call(3_000), channel: 'C1' },
  ]);
});

test('a call leaves the log after 90 days, and names its person for an erasure', async () => {
  const { log, dynamo } = harness(90 * 86_400_000 + 2_000);
  await log.add(place('T1'), call(1_000));
  await log.add(place('T1'), call(3_000, 'U2'));
  expect(await log.list(place('T1'), 9)).toEqual([{ ...call(3_000, 'U2'), channel: 'C1' }]);
  expect(dynamo.items('conversations').map(({ by, ttl }) => [by?.S, ttl?.N])).toEqual([
    ['U1', '7776001'],
    ['U2', '7776003'],
  ]);
});
