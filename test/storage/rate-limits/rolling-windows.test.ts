import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WINDOW_GUARD_MS } from '../../../shared/rate-limits/index.ts';
import { getWindow } from '../../../shared/upstream/vision/request-windows.ts';
import { type Dynamo, RollingWindows } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { startTables } from '../../fakes/tables.ts';
import { createSeededRandom } from '../../faults/seeded-random.ts';

const T0 = 1_700_000_000_000;
const HOUR = 3_600_000;

function suite(dynamoOf: () => Dynamo) {
  let key = 0;

  test('grants ten requests a day, and the eleventh when the first has expired', async () => {
    let now = T0;
    const random = createSeededRandom(1);
    const windows = new RollingWindows({ dynamo: dynamoOf(), table: 'tokens', now: () => now, random });
    const name = `window-${key++}`;
    for (let i = 0; i < 10; i += 1) {
      expect(await windows.take(name, getWindow('clips'))).toEqual({ granted: true });
      now += HOUR;
    }
    const first = T0 + 24 * HOUR + WINDOW_GUARD_MS;
    expect(await windows.take(name, getWindow('clips'))).toEqual({
      granted: false,
      retryAfterMs: first - now,
    });
    now = first - 1;
    expect(await windows.take(name, getWindow('clips'))).toEqual({ granted: false, retryAfterMs: 1 });
    now = first;
    const other = new RollingWindows({ dynamo: dynamoOf(), table: 'tokens', now: () => now, random });
    expect(await other.take(name, getWindow('clips'))).toEqual({ granted: true });
    expect(await other.take(name, getWindow('clips'))).toMatchObject({ granted: false });
    now += 20 * HOUR;
    for (let i = 0; i < 9; i += 1)
      expect(await other.take(name, getWindow('clips'))).toEqual({ granted: true });
    expect(await other.take(name, getWindow('clips'))).toMatchObject({ granted: false });
  });
}

describe('windows in memory', () => {
  const dynamo = createMemoryDynamo();
  suite(() => dynamo);
});

describe('windows on dynalite', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.close());
  suite(() => tables.dynamo);
});
