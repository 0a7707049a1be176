import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { channelId, messageId, type Thread, userId, workspaceId } from '../../../shared/domain/index.ts';
import {
  isTerminal,
  type Job,
  canTransition,
  type JobRequester,
  JOB_STATES,
} from '../../../shared/video/jobs/index.ts';
import { ConditionFailed, type Dynamo, Jobs, type NewJob, Turns } from '../../../shared/storage/index.ts';
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

function asked(thread: Thread, by: JobRequester = ada): NewJob {
  counter += 1;
  return {
    by,
    thread,
    state: 'requested',
    asked: thread.root,
    prompt: 'waves',
    model: 'model-a-video',
    price: '0.35',
    picture: { id: 'F1', name: 'sea.png', mimetype: 'image/png', bytes: 10 },
    key: `key-${counter}`,
    due: clock,
  };
}

function suite(dynamoOf: () => Dynamo) {
  const config = () => ({ dynamo: dynamoOf(), table: 'conversations', days: 30, now: () => clock });
  const create = () => new Jobs(config());

  test('one wish is one job, however often it is asked for, with the key that was kept first', async () => {
    const jobs = create();
    const thread = newThread();
    const first = await jobs.create('press-1', asked(thread));
    const second = await jobs.create('press-1', asked(thread));
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    expect(second.job).toEqual(first.job);
    expect(await jobs.find(first.job.id)).toEqual(first.job);
    const other = await jobs.create('press-2', asked(thread));
    expect(other.job.id).not.toBe(first.job.id);
    expect(other.job.key).not.toBe(first.job.key);
  });

  test('asked for twenty times at once, one of them made it', async () => {
    const jobs = create();
    const thread = newThread();
    const all = await Promise.all(Array.from({ length: 20 }, () => jobs.create('at-once', asked(thread))));
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(all.map(({ job }) => job.key)).size).toBe(1);
  });

  test('a change is made upon what was read, or not at all', async () => {
    const jobs = create();
    const { job } = await jobs.create('v', asked(newThread()));
    const moved = await jobs.save(job, { state: 'submitted', submittedAt: clock, due: clock + 30_000 });
    expect(moved).toMatchObject({ state: 'submitted', version: 2 });
    await expect(jobs.save(job, { state: 'failed', reason: 'late' })).rejects.toThrow(ConditionFailed);
    expect(await jobs.find(job.id)).toEqual(moved);
    // The reply of a write was lost, and the client wrote again: it finds its own.
    expect(await jobs.save(job, { state: 'submitted', submittedAt: clock, due: clock + 30_000 })).toEqual(
      moved,
    );
  });

  test('no illegal move is stored', async () => {
    const jobs = create();
    for (const from of JOB_STATES) {
      for (const to of JOB_STATES.filter((state) => state !== from && !canTransition(from, state))) {
        const before: Job = {
          ...(await jobs.create(`x-${from}-${to}`, asked(newThread()))).job,
          state: from,
        };
        await expect(jobs.save(before, { state: to })).rejects.toThrow(`cannot become ${to}`);
      }
    }
  });

  test('what is over is due no more, and its callback is worth nothing', async () => {
    const jobs = create();
    for (const state of JOB_STATES.filter((one) => isTerminal(one) && canTransition('requested', one))) {
      const { job } = await jobs.create(`over-${state}`, { ...asked(newThread()), secretHash: 'h' });
      const over = await jobs.save(job, { state, due: clock });
      expect(over).toMatchObject({ state, due: undefined, secretHash: undefined });
      expect(await jobs.due(1_000)).not.toContainEqual(expect.objectContaining({ id: job.id }));
    }
  });

  test('jobs are found when they are due, the longest due first', async () => {
    const jobs = create();
    const { job: late } = await jobs.create('due-1', { ...asked(newThread()), due: clock + 60_000 });
    const { job: soon } = await jobs.create('due-2', { ...asked(newThread()), due: clock + 30_000 });
    const mine = async () =>
      (await jobs.due(1_000)).map(({ id }) => id).filter((id) => [late.id, soon.id].includes(id));
    expect(await mine()).toEqual([]);
    clock += 61_000;
    expect(await mine()).toEqual([soon.id, late.id]);
    await jobs.save(soon, { due: clock + 60_000 });
    expect(await mine()).toEqual([late.id]);
  });

  test('a person sees their own jobs, the newest first; a thread knows all of its', async () => {
    const jobs = create();
    const grace: JobRequester = { ...ada, user: userId(`U-${counter}`) };
    const eve: JobRequester = { ...grace, workspace: workspaceId('T2') };
    const thread = newThread();
    const made: Job[] = [];
    for (const n of [1, 2, 3]) {
      clock += 1_000;
      made.push((await jobs.create(`mine-${n}`, asked(thread, grace))).job);
    }
    const { job: hers } = await jobs.create('mine-1', asked(thread, eve));
    expect((await jobs.of(grace, 2)).map(({ id }) => id)).toEqual([made[2]?.id, made[1]?.id]);
    expect((await jobs.of(eve, 9)).map(({ id }) => id)).toEqual([hers.id]);
    expect(new Set((await jobs.inThread(thread)).map(({ id }) => id))).toEqual(
      new Set([...made, hers].map(({ id }) => id)),
    );
    await jobs.remove(hers);
    await jobs.remove(hers);
    expect(await jobs.find(hers.id)).toBeUndefined();
    expect(await jobs.inThread(thread)).toHaveLength(3);
  });

  test('an expired job is gone, whenever the table removes it', async () => {
    const jobs = create();
    const { job } = await jobs.create('old', asked(newThread()));
    clock += 31 * 24 * 3600_000;
    expect(await jobs.find(job.id)).toBeUndefined();
    expect(await jobs.of(ada, 9)).not.toContainEqual(job);
  });

  test('a video becomes part of its thread, once; the next turn knows of it', async () => {
    const jobs = create();
    const turns = new Turns(config());
    const thread = newThread();
    const { job } = await jobs.create('told', asked(thread));
    const message = messageId('1700000100.000100');
    const ending = { kind: 'answered', text: 'Here it is.', finish: 'stop', model: job.model } as const;
    const ref = { thread, message, asker: job.by.user, askerWorkspace: job.by.workspace };
    const { from, number } = await turns.past(ref);
    await jobs.record(
      job,
      message,
      { question: 'Animate: waves', pictures: [job.picture], ending },
      { from, number },
    );
    await jobs.record(job, message, { question: 'again', ending }, { from, number: 9 });
    const next = { ...ref, message: messageId('1700000200.000100') };
    const past = await turns.past(next);
    expect(past.turns).toHaveLength(1);
    expect(past.turns[0]).toMatchObject({ question: 'Animate: waves', pictures: [job.picture], ending });
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
