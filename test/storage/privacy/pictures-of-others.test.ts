import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  channelId,
  messageId,
  type Thread,
  toRequestedPicture,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { Erasure, Jobs } from '../../../shared/storage/index.ts';
import { buildHistoryTurn } from '../../../shared/video/display/history-turn.ts';
import { decompressTurn } from '../../../shared/storage/dynamodb/turn-compression.ts';
import { turnKey } from '../../../shared/storage/keys/item-keys.ts';
import { startTables } from '../../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

const [ADA, GRACE] = [userId('UADA'), userId('UGRACE')];
const WORKSPACE = workspaceId('T1');
const THREAD: Thread = {
  platform: 'slack',
  workspace: WORKSPACE,
  channel: channelId('C1'),
  root: messageId('1.1'),
};
const PICTURE = {
  id: 'https://files.example/canary.png',
  name: 'canary.png',
  mimetype: 'image/png',
  bytes: 9,
};
const ORIGIN = { author: GRACE, message: messageId('1.1') };

test('a picture of somebody else is stored without its name and with its origin; one of the requester as it is', () => {
  expect(toRequestedPicture(PICTURE, ORIGIN, ADA)).toEqual({
    ...PICTURE,
    name: 'picture.png',
    origin: ORIGIN,
  });
  expect(toRequestedPicture({ ...PICTURE, name: 'canary' }, ORIGIN, ADA).name).toBe('picture');
  expect(toRequestedPicture(PICTURE, ORIGIN, GRACE)).toEqual(PICTURE);
  expect(toRequestedPicture(PICTURE, undefined, ADA)).toEqual(PICTURE);
});

test.each([
  ['with the index', true],
  ['with a scan', false],
])(
  '%s, an erased person leaves no picture in the jobs and turns of others, which stay',
  async (_, indexed) => {
    const { client, dynamo } = tables;
    const jobs = new Jobs({ dynamo, table: 'conversations', days: 30, now: Date.now });
    const job = await jobs.create(`request-${indexed}`, {
      state: 'delivered',
      by: { platform: 'slack', workspace: WORKSPACE, user: ADA },
      thread: THREAD,
      requestMessage: ORIGIN.message,
      picture: toRequestedPicture(PICTURE, ORIGIN, ADA),
      prompt: 'Waves.',
      operation: 'edit',
      model: 'model-a',
      key: 'key',
    });
    const message = messageId(indexed ? '1.2' : '1.3');
    await jobs.saveAsTurn(job, message, buildHistoryTurn(job), { from: 'TURN#1', number: 1 });
    const erasure = new Erasure({
      dynamo,
      scan: (input) => client.scan(input),
      table: 'conversations',
      now: Date.now,
      isIndexComplete: () => Promise.resolve(indexed),
    });
    let from: string | undefined;
    do {
      const scope = { platform: 'slack', workspace: WORKSPACE, user: GRACE } as const;
      const page = await erasure.page(scope, from, { eraseJobs: () => Promise.resolve() });
      from = page.next;
    } while (from !== undefined);
    expect(await jobs.find(job.id)).toEqual({ ...job, picture: undefined, version: 2 });
    const { Items = [] } = await client.scan({ TableName: 'conversations' });
    const turn = Items.find(({ sk }) => sk?.S === turnKey(THREAD, message).sk.S);
    expect(turn).toBeDefined();
    expect(JSON.stringify(Items)).not.toMatch(/canary|UGRACE/u);
    const content = decompressTurn(turn?.['body']?.B ?? new Uint8Array());
    expect(JSON.stringify(content)).not.toMatch(/canary|UGRACE/u);
    expect(content.question).toContain('Waves.');
  },
);
