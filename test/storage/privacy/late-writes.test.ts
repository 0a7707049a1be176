import { expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { Erasure, Facts } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const T1 = workspaceId('T1');
const ADA = userId('U1');
const THREAD = 'slack#T1#C1#1700000000.000100';
const MOMENT = 1_700_000_100_000;

/** A turn that was sent at this time (s), as a front stores it. */
const turn = (seconds: number) => ({
  pk: { S: THREAD },
  sk: { S: `TURN#000${seconds}.000100` },
  by: { S: ADA },
  ws: { S: T1 },
  ask: { S: 'what?' },
});

test.each([[true], [false]])(
  'the second pass removes what was sent before the erasure, and nothing else (by the index: %s)',
  async (isComplete) => {
    const dynamo = createMemoryDynamo();
    let now = MOMENT;
    const config = { dynamo, table: 'conversations', now: () => now };
    const items = () => dynamo.items('conversations');
    const erasure = new Erasure({
      ...config,
      scan: async () => ({ Items: items() }),
      isIndexComplete: async () => isComplete,
    });
    const facts = new Facts({ ...config, createId: () => '00000a' });
    const owner = { platform: 'slack', workspace: T1, user: ADA } as const;
    for (const seconds of [1_700_000_050, 1_700_000_150])
      await dynamo.put({ TableName: 'conversations', Item: turn(seconds) });
    const settings = { pk: { S: 'SETTINGS#slack#T1' }, sk: { S: `LEVEL#person#${ADA}` }, by: { S: ADA } };
    await dynamo.put({ TableName: 'conversations', Item: settings });
    await facts.add(owner, { text: 'late', isPrivate: false, at: MOMENT - 1_000 }, undefined);
    const part = (at: number) => ({
      pk: { S: 'KNOWLEDGE#slack#T1#C1' },
      sk: { S: `TEXT#U1.${at}#000` },
      by: { S: ADA },
      at: { N: String(at) },
    });
    const parts = [MOMENT - 1, MOMENT + 1].map(part);
    for (const Item of parts) await dynamo.put({ TableName: 'conversations', Item });
    const range = { ...owner, sentUntil: MOMENT };
    const eraseAll = async (): Promise<void> => {
      let next: string | undefined;
      do {
        ({ next } = await erasure.page(range, next, { eraseJobs: async () => undefined }));
      } while (next !== undefined);
    };
    await eraseAll();
    expect(items().map(({ sk }) => sk?.S)).toEqual([
      'TURN#0001700000150.000100',
      `LEVEL#person#${ADA}`,
      parts[1]?.sk.S,
    ]);
    now += 1_000;
    await facts.add(owner, { text: 'new', isPrivate: false }, undefined);
    await dynamo.put({ TableName: 'conversations', Item: turn(1_700_000_050) });
    await eraseAll();
    expect((await facts.list(owner, undefined)).map(({ text }) => text)).toEqual(['new']);
    expect(items()).toHaveLength(4);
  },
);
