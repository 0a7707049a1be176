import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { workspaceId } from '../../../shared/domain/index.ts';
import { Erasure } from '../../../shared/storage/index.ts';
import { ERASE_BY_SCAN, startTables } from '../../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

test('only questions that were sent until a time are erased when the scope has one', async () => {
  const { client, dynamo } = tables;
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo,
    scan: (input) => client.scan(input),
    table: 'conversations',
  });
  const workspace = workspaceId('T9');
  const keys = [
    ['slack#T9#C1#100.000000', 'TURN#0000000000100.000000'],
    ['slack#T9#C1#100.000000', 'TURN#0000000000101.500000'],
    ['slack#T9#C1#100.000000', 'TURN#~'],
    ['SETTINGS#slack#T9', 'LEVEL#workspace'],
  ] as const;
  for (const [pk, sk] of keys)
    await client.putItem({ TableName: 'conversations', Item: { pk: { S: pk }, sk: { S: sk } } });
  const scope = { platform: 'slack', workspace, sentUntil: 101_499 } as const;
  const page = await erasure.page(scope, undefined, { eraseJobs: () => Promise.resolve() });
  expect(page).toMatchObject({ erased: 1, next: undefined });
  const { Items = [] } = await client.scan({ TableName: 'conversations' });
  const left = Items.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`).toSorted();
  expect(left).toEqual(
    keys
      .slice(1)
      .map((key) => key.join(' '))
      .toSorted(),
  );
});
