import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { Erasure, Jobs, Recordings } from '../../shared/storage/index.ts';
import { ERASE_BY_SCAN, startTables } from '../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

test('erasing a workspace of an organization erases nothing of its other workspaces', async () => {
  const { client, dynamo } = tables;
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo,
    scan: (input) => client.scan(input),
    table: 'conversations',
  });
  const workspace = workspaceId('E9');
  const thread = {
    platform: 'slack',
    workspace,
    channel: channelId('C1'),
    root: messageId('1.1'),
  } as const;
  const recordings = new Recordings({ dynamo, table: 'conversations', days: 30, now: () => 1_000_000 });
  const jobs = new Jobs({ dynamo, table: 'conversations', days: 30, now: () => 1_000 });
  const createdIds: string[] = [];
  for (const [team, nth] of [
    ['T91', 1],
    ['T92', 2],
    ['T93', 3],
  ] as const) {
    const turn = { pk: { S: 'slack#E9#C1#1.1' }, sk: { S: `TURN#1.${nth}` }, ws: { S: team } };
    await client.putItem({ TableName: 'conversations', Item: turn });
    const ref = { thread, message: messageId(`1.${nth}`), file: 'F1' };
    await recordings.begin(ref, userId(`U${nth}`), workspaceId(team));
    await recordings.saveChunk(ref, { n: 0, fromMs: 0, toMs: 9, text: 'words', words: [] });
    const by = { platform: 'slack', workspace: workspaceId(team), user: userId(`U${nth}`) } as const;
    const picture = { id: 'f', name: 'sea.png', mimetype: 'image/png', bytes: 1 };
    const wanted = { state: 'proposed', by, thread, requestMessage: thread.root, picture } as const;
    const job = await jobs.create('wish', { ...wanted, prompt: 'Waves.', model: 'model-v', key: 'key' });
    createdIds.push(job.id);
  }
  const set = { pk: { S: 'SETTINGS#slack#E9' }, sk: { S: 'LEVEL#workspace' } };
  await client.putItem({ TableName: 'conversations', Item: set });
  const teams = [workspaceId('T91'), workspaceId('T93')];
  const created: string[] = [];
  const forget = async (ids: readonly string[]) => void created.push(...ids);
  expect(
    await erasure.page({ platform: 'slack', workspace, teams }, undefined, { eraseJobs: forget }),
  ).toMatchObject({
    erased: 6,
    next: undefined,
  });
  expect(created.toSorted()).toEqual([createdIds[0] ?? '', createdIds[2] ?? ''].toSorted());
  const { Items = [] } = await client.scan({ TableName: 'conversations' });
  const left = Items.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
  // Jobs have rules of their own.
  const others = left.filter((one) => !one.startsWith('VIDEO#'));
  expect(others).toHaveLength(5);
  expect(others.join()).toContain('TURN#1.2');
  expect(others.join()).toContain('SETTINGS#slack#E9');
});
