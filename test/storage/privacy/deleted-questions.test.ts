import { expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { type Dynamo, Erasure, type ErasureConfig } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const TABLE = 'conversations';
const T1 = workspaceId('T1');
const HOOKS = { eraseJobs: () => Promise.resolve() };

/** A conversation of ten turns of U2, with a deleted question of U1 after every second one; records the reads of conversations. */
async function harness() {
  const memory = createMemoryDynamo();
  const ranges: string[] = [];
  let [running, mostAtOnce] = [0, 0];
  const query: Dynamo['query'] = async (input) => {
    if (input.IndexName === undefined && input.ExpressionAttributeValues?.[':pk']?.S === 'slack#T1#C1#10') {
      ranges.push(input.ExpressionAttributeValues[':last']?.S ?? '');
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      await Promise.resolve();
      running -= 1;
    }
    return memory.query(input);
  };
  for (let n = 10; n < 20; n += 1) {
    const isDeleted = n % 2 === 1;
    const Item = {
      pk: { S: 'slack#T1#C1#10' },
      sk: { S: `TURN#${String(n).padStart(20, '0')}` },
      id: { S: String(n) },
      by: { S: isDeleted ? 'U1' : 'U2' },
      ws: { S: 'T1' },
      ...(isDeleted ? { mark: { S: 'deleted' } } : { body: { B: new Uint8Array(9) } }),
    };
    await memory.put({ TableName: TABLE, Item });
  }
  const config: ErasureConfig = {
    dynamo: { ...memory, query },
    scan: async () => ({ Items: memory.items(TABLE) }),
    table: TABLE,
    now: () => 0,
    isIndexComplete: () => Promise.resolve(true),
  };
  const left = () => memory.items(TABLE).filter(({ by }) => by?.S === 'U1').length;
  return { erasure: new Erasure(config), ranges, left, mostAtOnce: () => mostAtOnce };
}

test.each([
  ['a person', { user: userId('U1') }],
  ['a workspace of an organization', { teams: [T1] }],
])(
  'the erasure of %s reads for a deleted question the turns before it alone, one conversation at a time',
  async (_, scope) => {
    const { erasure, ranges, left, mostAtOnce } = await harness();
    expect(left()).toBe(5);
    await erasure.page({ platform: 'slack', workspace: T1, ...scope }, undefined, HOOKS);
    expect(left()).toBe(0);
    expect(ranges).toEqual([11, 13, 15, 17, 19].map((n) => `TURN#${String(n).padStart(20, '0')}`));
    expect(mostAtOnce()).toBe(1);
  },
);
