import { expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { ErasureMoments } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

test('of several erasures of a person the latest counts, in whatever order they are recorded', async () => {
  const moments = new ErasureMoments({ dynamo: createMemoryDynamo(), table: 'conversations' });
  const person = { platform: 'slack', workspace: workspaceId('T1'), user: userId('U1') } as const;
  const latest: (number | undefined)[] = [await moments.find(person)];
  for (const at of [5_000, 2_000, 5_000, 8_000]) {
    await moments.record(person, at);
    latest.push(await moments.find(person));
  }
  expect(latest).toEqual([undefined, 5_000, 5_000, 5_000, 8_000]);
});
