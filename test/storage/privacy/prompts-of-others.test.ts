import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { channelId, messageId, type Thread, userId, workspaceId } from '../../../shared/domain/index.ts';
import { Erasure, Jobs } from '../../../shared/storage/index.ts';
import { buildHistoryTurn } from '../../../shared/video/display/history-turn.ts';
import { decompressJson, decompressTurn } from '../../../shared/storage/dynamodb/turn-compression.ts';
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
const JOB = {
  state: 'proposed',
  by: { platform: 'slack', workspace: WORKSPACE, user: ADA },
  thread: THREAD,
  requestMessage: messageId('1.1'),
  prompt: 'Waves.',
  operation: 'text-to-video',
  model: 'model-a',
  key: 'key',
} as const;

const jobsOf = () => new Jobs({ dynamo: tables.dynamo, table: 'conversations', days: 30, now: Date.now });

/** Erases all data of Grace in the workspace. */
async function eraseGrace(indexed: boolean): Promise<void> {
  const { client, dynamo } = tables;
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
}

test('a video that no longer has words of the erased person stays as it is', async () => {
  const jobs = jobsOf();
  const created = await jobs.create('changed since', { ...JOB, promptAuthors: [GRACE] });
  const job = await jobs.save(created, { prompt: 'Gulls.', promptAuthors: undefined });
  await eraseGrace(true);
  expect(await jobs.find(job.id)).toEqual(job);
});

test.each([
  ['with the index, when the job is made', true, true],
  ['with the index, when the job is changed', true, false],
  ['with a scan', false, true],
])(
  '%s, an erased person leaves no words in the videos and turns of others, which stay',
  async (name, indexed, isAtOnce) => {
    const { client } = tables;
    const jobs = jobsOf();
    const theirs = { prompt: 'The canary sings.', promptAuthors: [GRACE] };
    const created = await jobs.create(name, { ...JOB, ...(isAtOnce && theirs) });
    const job = isAtOnce ? created : await jobs.save(created, theirs);
    expect(job).toMatchObject(theirs);
    const message = messageId(`1.${indexed ? 2 : 3}${isAtOnce ? 1 : 2}`);
    await jobs.saveAsTurn(job, message, buildHistoryTurn(job), { from: 'TURN#1', number: 1 });
    await eraseGrace(indexed);
    expect(await jobs.find(job.id)).toEqual({
      ...job,
      prompt: '',
      promptAuthors: undefined,
      version: job.version + 1,
    });
    const { Items = [] } = await client.scan({ TableName: 'conversations' });
    const turn = Items.find(({ sk }) => sk?.S === turnKey(THREAD, message).sk.S);
    expect(JSON.stringify(Items)).not.toMatch(/canary|UGRACE/u);
    // Both are stored again under the names that earlier versions read.
    const storedJob = Items.find(({ sk, body }) => sk?.S?.startsWith('JOB#') && body?.S?.includes(job.id));
    expect(JSON.parse(storedJob?.['body']?.S ?? '')).toMatchObject({ asked: '1.1' });
    const storedTurn = turn?.['body']?.B ?? new Uint8Array();
    expect(decompressJson(storedTurn)).toMatchObject({ ending: { kind: 'answered' } });
    const content = decompressTurn(storedTurn);
    expect(JSON.stringify(content)).not.toMatch(/canary|UGRACE/u);
    expect(content.question).toBe('Make a video again');
  },
);
