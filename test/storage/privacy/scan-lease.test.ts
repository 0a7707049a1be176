import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { ExportLimit, ScanLease } from '../../../shared/storage/index.ts';
import { startTables } from '../../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

const NOW = 1_790_000_000_000;

test('one task at a time holds the lease, until it releases it or a minute after the last renewal', async () => {
  const { dynamo, client } = tables;
  let at = NOW;
  const lease = new ScanLease({ dynamo, table: 'conversations', now: () => at });
  expect(await lease.take('erase of U1')).toBe(true);
  expect(await lease.take('erase of U2')).toBe(false);
  at += 50_000;
  expect(await lease.take('erase of U1')).toBe(true);
  at += 50_000;
  expect(await lease.take('erase of U2')).toBe(false);
  // It belongs to another task.
  await lease.release('erase of U2');
  expect(await lease.take('erase of U2')).toBe(false);
  at += 10_000;
  expect(await lease.take('erase of U2')).toBe(true);
  const { Items } = await client.scan({ TableName: 'conversations' });
  expect(JSON.stringify(Items)).not.toContain('U2');
  await lease.release('erase of U2');
  expect(await lease.take('erase of U1')).toBe(true);
});

test('each person has one export per hour; the same interaction counts once', async () => {
  const { dynamo } = tables;
  let [at, isComplete] = [NOW, false];
  const config = { dynamo, table: 'conversations', now: () => at };
  const limit = new ExportLimit({ ...config, isIndexComplete: () => Promise.resolve(isComplete) });
  const ada = { platform: 'slack', workspace: workspaceId('T1'), user: userId('U1') } as const;
  const many = await Promise.all(['a', 'b', 'c'].map((call) => limit.take(ada, call)));
  expect(many.filter((again) => again === undefined)).toHaveLength(1);
  expect(many.filter((again) => again === NOW + 3_600_000)).toHaveLength(2);
  const holder = ['a', 'b', 'c'][many.indexOf(undefined)] ?? '';
  expect(await limit.take(ada, holder)).toBeUndefined();
  expect(await limit.take({ ...ada, user: userId('U2') }, 'd')).toBeUndefined();
  at += 3_600_000;
  expect(await limit.take(ada, 'e')).toBeUndefined();
  expect(await limit.take(ada, 'f')).toBe(at + 3_600_000);
  // Without a full scan, people may have any number of exports.
  isComplete = true;
  expect(await limit.take(ada, 'f')).toBeUndefined();
});
