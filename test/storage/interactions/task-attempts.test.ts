import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Dynamo, TaskAttempts } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { startTables } from '../../fakes/tables.ts';

const T0 = 1_700_000_000_000;
const DAY = 86_400_000;
const nth = (id: string, receives: number) => ({ id, receives });

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

describe.each<[string, () => Dynamo]>([
  ['in memory', createMemoryDynamo],
  ['in DynamoDB', () => tables.dynamo],
])('the attempts at a task, %s', (_, dynamo) => {
  test('are counted: returns, failures, crashes, and when the first attempt ended', async () => {
    let now = T0;
    const attempts = new TaskAttempts({ dynamo: dynamo(), table: 'tokens', now: () => now });
    const none = { returned: 0, failures: 0, crashes: 0, firstEndedAtMs: undefined };
    expect(await attempts.read(nth('m1', 9))).toEqual(none);
    await attempts.handBack(nth('m1', 9), { isRecorded: false });
    expect(await attempts.read(nth('m1', 9))).toEqual({ ...none, returned: 1 });
    await attempts.handBack(nth('m1', 9), { ended: 'waits', isRecorded: false });
    now += 1_000;
    await attempts.handBack(nth('m1', 9), { ended: 'failed', isRecorded: false });
    expect(await attempts.read(nth('m1', 9))).toEqual({
      returned: 3,
      failures: 1,
      crashes: 0,
      firstEndedAtMs: T0,
    });
    expect(await attempts.read(nth('m2', 9))).toEqual(none);
  });

  test('that were isolated and did not end are crashes', async () => {
    const attempts = new TaskAttempts({ dynamo: dynamo(), table: 'tokens', now: () => T0 });
    expect(await attempts.begin(nth('m3', 2))).toBe(true);
    expect(await attempts.begin(nth('m3', 3))).toBe(true);
    // The same receive, delivered twice.
    expect(await attempts.begin(nth('m3', 3))).toBe(false);
    expect(await attempts.read(nth('m3', 3))).toMatchObject({ crashes: 1 });
    expect(await attempts.read(nth('m3', 9))).toMatchObject({ crashes: 2 });
    await attempts.handBack(nth('m3', 3), { ended: 'waits', isRecorded: true });
    expect(await attempts.read(nth('m3', 9))).toMatchObject({ crashes: 1, returned: 1 });
    // Without a recorded start there is none to remove.
    await attempts.handBack(nth('m4', 9), { ended: 'waits', isRecorded: true });
    expect(await attempts.read(nth('m4', 9))).toMatchObject({ crashes: 0, returned: 1 });
  });

  test('expire when the queue deletes the message', async () => {
    let now = T0;
    const attempts = new TaskAttempts({ dynamo: dynamo(), table: 'tokens', now: () => now });
    await attempts.begin(nth('m5', 2));
    now += 4 * DAY + 1_000;
    expect(await attempts.read(nth('m5', 9))).toMatchObject({ crashes: 0 });
  });
});
