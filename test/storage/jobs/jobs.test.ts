import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { channelId, messageId, type Thread, userId, workspaceId } from '../../../shared/domain/index.ts';
import {
  isTerminal,
  type Job,
  canTransition,
  type JobRequester,
  JOB_STATES,
} from '../../../shared/video/jobs/index.ts';
import {
  ConditionFailedError,
  type Dynamo,
  Jobs,
  type NewJob,
  Turns,
} from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { startTables } from '../../fakes/tables.ts';

let clock = 1_700_000_000_000;
let counter = 0;

function newThread(): Thread {
  counter += 1;
  const root = messageId(`1700000000.${String(counter).padStart(6, '0')}`);
  return { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C9'), root };
}

const ada: JobRequester = { platform: 'slack', workspace: workspaceId('T1'), user: userId('U-ADA') };

function newJob(thread: Thread, by: JobRequester = ada): NewJob {
  counter += 1;
  return {
    by,
    thread,
    state: 'requested',
    requestMessage: thread.root,
    prompt: 'waves',
    model: 'model-a-video',
    price: '0.35',
    picture: PICTURE,
    key: `key-${counter}`,
    due: clock,
  };
}

const PICTURE = { id: 'F1', name: 'sea.png', mimetype: 'image/png', bytes: 10 };

function suite(dynamoOf: () => Dynamo) {
  const config = () => ({ dynamo: dynamoOf(), table: 'conversations', days: 30, now: () => clock });
  const create = () => new Jobs(config());

  test('a repeated request creates one job, with the key of the first', async () => {
    const jobs = create();
    const thread = newThread();
    const first = await jobs.create('press-1', newJob(thread));
    const second = await jobs.create('press-1', newJob(thread));
    expect(second).toEqual(first);
    expect(await jobs.find(first.id)).toEqual(first);
    const other = await jobs.create('press-2', newJob(thread));
    expect(other.id).not.toBe(first.id);
    expect(other.key).not.toBe(first.key);
  });

  test('one of twenty concurrent requests creates the job', async () => {
    const jobs = create();
    const thread = newThread();
    const all = await Promise.all(Array.from({ length: 20 }, () => jobs.create('at-once', newJob(thread))));
    expect(new Set(all.map(({ key }) => key)).size).toBe(1);
    expect(await jobs.listByThread(thread)).toHaveLength(1);
  });

  test('a change applies only to the version that was read', async () => {
    const jobs = create();
    const job = await jobs.create('v', newJob(newThread()));
    const moved = await jobs.save(job, { state: 'submitted', submittedAt: clock, due: clock + 30_000 });
    expect(moved).toMatchObject({ state: 'submitted', version: 2 });
    await expect(jobs.save(job, { state: 'failed', reason: 'late' })).rejects.toThrow(ConditionFailedError);
    expect(await jobs.find(job.id)).toEqual(moved);
    // The response of a write was lost, and the client wrote again: it finds its own write.
    expect(await jobs.save(job, { state: 'submitted', submittedAt: clock, due: clock + 30_000 })).toEqual(
      moved,
    );
  });

  test('an illegal transition is not stored', async () => {
    const jobs = create();
    for (const from of JOB_STATES) {
      for (const to of JOB_STATES.filter((state) => state !== from && !canTransition(from, state))) {
        const before: Job = {
          ...(await jobs.create(`x-${from}-${to}`, newJob(newThread()))),
          state: from,
        };
        await expect(jobs.save(before, { state: to })).rejects.toThrow(`cannot become ${to}`);
        expect(await jobs.find(before.id)).toMatchObject({ state: 'requested', version: before.version });
      }
    }
  });

  test('a finished job is never due, and its callback secret is deleted', async () => {
    const jobs = create();
    for (const state of JOB_STATES.filter((one) => isTerminal(one) && canTransition('requested', one))) {
      const job = await jobs.create(`over-${state}`, { ...newJob(newThread()), secretHash: 'h' });
      const over = await jobs.save(job, { state, due: clock });
      expect(over).toMatchObject({ state, due: undefined, secretHash: undefined });
      expect(await jobs.listDue(1_000)).not.toContainEqual(expect.objectContaining({ id: job.id }));
    }
  });

  test('due jobs are listed, the longest due first', async () => {
    const jobs = create();
    const late = await jobs.create('due-1', { ...newJob(newThread()), due: clock + 60_000 });
    const soon = await jobs.create('due-2', { ...newJob(newThread()), due: clock + 30_000 });
    const mine = async () =>
      (await jobs.listDue(1_000)).map(({ id }) => id).filter((id) => [late.id, soon.id].includes(id));
    const open = (await jobs.listOpen(1_000, () => undefined)).map(({ id }) => id);
    expect(open).toEqual(expect.arrayContaining([late.id, soon.id]));
    expect(await mine()).toEqual([]);
    clock += 61_000;
    expect(await mine()).toEqual([soon.id, late.id]);
    await jobs.save(soon, { due: clock + 60_000 });
    expect(await mine()).toEqual([late.id]);
  });

  test("a person's jobs are listed with the newest first, and a thread's jobs completely", async () => {
    const jobs = create();
    const grace: JobRequester = { ...ada, user: userId(`U-${counter}`) };
    const eve: JobRequester = { ...grace, workspace: workspaceId('T2') };
    const thread = newThread();
    const created: Job[] = [];
    for (const n of [1, 2, 3]) {
      clock += 1_000;
      created.push(await jobs.create(`mine-${n}`, newJob(thread, grace)));
    }
    const hers = await jobs.create('mine-1', newJob(thread, eve));
    expect((await jobs.listByPerson(grace, 2)).map(({ id }) => id)).toEqual([created[2]?.id, created[1]?.id]);
    expect((await jobs.listByPerson(eve, 9)).map(({ id }) => id)).toEqual([hers.id]);
    expect(new Set((await jobs.listByThread(thread)).map(({ id }) => id))).toEqual(
      new Set([...created, hers].map(({ id }) => id)),
    );
    await jobs.remove(hers);
    await jobs.remove(hers);
    expect(await jobs.find(hers.id)).toBeUndefined();
    expect(await jobs.listByThread(thread)).toHaveLength(3);
  });

  test('an expired job is absent before the table deletes it', async () => {
    const jobs = create();
    const job = await jobs.create('old', newJob(newThread()));
    clock += 31 * 24 * 3600_000;
    expect(await jobs.find(job.id)).toBeUndefined();
    expect(await jobs.listByPerson(ada, 9)).not.toContainEqual(job);
  });

  test('the request of an expired job creates a new one before the table deletes the old one', async () => {
    const jobs = create();
    const thread = newThread();
    const old = await jobs.create('again', newJob(thread));
    await jobs.save(old, { state: 'failed' });
    clock += 31 * 24 * 3600_000;
    const created = await jobs.create('again', newJob(thread));
    expect(created).toMatchObject({ id: old.id, state: 'requested', version: 1, createdAt: clock });
    expect(await jobs.find(old.id)).toEqual(created);
  });

  test('a video is added to its thread once, and is in the history of the next turn', async () => {
    const jobs = create();
    const turns = new Turns(config());
    const thread = newThread();
    const job = await jobs.create('told', newJob(thread));
    const message = messageId('1700000100.000100');
    const outcome = { kind: 'answered', text: 'Here it is.', finish: 'stop', model: job.model } as const;
    const ref = { thread, message, asker: job.by.user, askerWorkspace: job.by.workspace };
    const { from, number } = await turns.history(ref);
    await jobs.saveAsTurn(
      job,
      message,
      { question: 'Animate: waves', pictures: [PICTURE], outcome },
      { from, number },
    );
    await jobs.saveAsTurn(job, message, { question: 'again', outcome }, { from, number: 9 });
    const next = { ...ref, message: messageId('1700000200.000100') };
    const past = await turns.history(next);
    expect(past.turns).toHaveLength(1);
    expect(past.turns[0]).toMatchObject({ question: 'Animate: waves', pictures: [PICTURE], outcome });
    expect(past.number).toBe(2);
  });
}

describe('jobs in memory', () => {
  const dynamo = createMemoryDynamo();
  suite(() => dynamo);
});

describe('jobs in DynamoDB', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.close());
  suite(() => tables.dynamo);
});
