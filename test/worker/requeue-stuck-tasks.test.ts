import { beforeEach, describe, expect, test } from '@jest/globals';
import { checkMessage } from '../../infra/local/emulator/sqs/messages.ts';
import {
  channelId,
  messageId,
  parseTask,
  type TurnRef,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { MAX_ATTEMPTS, requeueStuckTasks } from '../../shared/worker/requeue-stuck-tasks.ts';
import type { Facts, Log } from '../../shared/runtime/log.ts';
import { Jobs, Schedules, Turns } from '../../shared/storage/index.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../fakes/dynamo.ts';

const MINUTE_MS = 60_000;
const START = 1_700_000_000_000;
const TABLE = 'conversations';

let dynamo: MemoryDynamo;
let clock: number;
let turns: Turns;
let jobs: Jobs;
let schedules: Schedules;
let sent: string[];
let log: (Facts & { event: string })[];
/** Bodies with one of these in them are rejected, beside what SQS rejects. */
let rejected: string[];

beforeEach(() => {
  dynamo = createMemoryDynamo();
  clock = START;
  const store = { dynamo, table: TABLE, days: 30, now: () => clock };
  turns = new Turns(store);
  jobs = new Jobs(store);
  schedules = new Schedules(store);
  sent = [];
  log = [];
  rejected = [];
});

const turnNo = (n: number, root = n): TurnRef => ({
  thread: {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId(`1700000000.${String(root).padStart(6, '0')}`),
  },
  message: messageId(`1700000000.${String(n).padStart(6, '0')}`),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
});

async function unsent(turn: TurnRef, question: string): Promise<void> {
  await turns.accept(turn, question, []);
  await turns.markUnsent(turn, question, [], clock);
}

/** What SQS rejects is rejected here: the body comes as it is, without the escapes of `createSqsQueue`. */
const queue = {
  send: async (body: string, group: string, dedup: string) => {
    checkMessage({ MessageBody: body, MessageGroupId: group, MessageDeduplicationId: dedup });
    if (rejected.some((one) => body.includes(one))) throw new Error('rejected');
    sent.push(body);
  },
};
/** A queue that rejects each request with the next error. */
function failingQueue(errors: readonly Error[]) {
  const left = [...errors];
  return { send: () => Promise.reject(left.shift() ?? new Error('rejected')) };
}
const tell: Log = (event, facts) => void log.push({ event, ...facts });
const run = (to: Pick<typeof queue, 'send'> = queue) =>
  requeueStuckTasks({
    turns,
    jobs,
    schedules,
    queue: to,
    transcriptionQueue: to,
    now: () => clock,
    log: tell,
  });
const questions = () =>
  sent.map(parseTask).map((task) => (task?.kind === 'ask' ? task.question : task?.kind));
/** A sweep each minute, for so many. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await run();
    clock += MINUTE_MS;
  }
}

describe('a sweep', () => {
  test('queues the items after a rejected one and reports which failed', async () => {
    await unsent(turnNo(1), 'bad \uFFFF one');
    await unsent(turnNo(2), 'good one');
    await turns.accept(turnNo(3), 'x', []);
    await turns.scheduleReconcile(turnNo(3), clock);
    expect(await run()).toEqual({ count: 2, failed: 1 });
    expect(questions()).toEqual(expect.arrayContaining(['good one', 'reconcile']));
    expect(log).toEqual([
      {
        event: 'sweep.failed',
        thread: 'slack#T1#C1#1700000000.000001',
        message: '1700000000.000001',
        reason: 'unsent',
        error: 'AwsError',
        attempts: 1,
      },
    ]);
    expect(JSON.stringify(log)).not.toContain('bad');
  });

  test('queues a question again until its unsent marker is removed', async () => {
    class Unsettled extends Turns {
      override completeDue = () => Promise.reject(new Error('the table is away'));
    }
    await unsent(turnNo(1), 'one');
    const store = { dynamo, table: TABLE, days: 30, now: () => clock };
    turns = new Unsettled(store);
    expect(await run()).toEqual({ count: 0, failed: 1 });
    expect(questions()).toEqual(['one']);
    expect(log).toMatchObject([{ event: 'sweep.failed', reason: 'unsent', error: 'Error' }]);
    await pass(3);
    expect(questions()).toEqual(['one', 'one']);
    turns = new Turns(store);
    await pass(60);
    expect(questions()).toEqual(['one', 'one', 'one']);
  });

  test('asks for the files of a question only where its event may not have listed them', async () => {
    const file = { id: 'F1', name: 'a.txt', mimetype: 'text/plain', bytes: 1 };
    for (const [n, attachments] of [undefined, [], [file]].entries()) {
      await turns.accept(turnNo(n), 'q', attachments ?? []);
      await turns.markUnsent(turnNo(n), `q${n}`, attachments, clock);
    }
    await run();
    const tasks = sent.map(parseTask).flatMap((task) => (task?.kind === 'ask' ? task : []));
    const facts = tasks
      .toSorted((a, b) => a.question.localeCompare(b.question))
      .map(({ question, attachments, mayHaveFiles }) => [question, attachments, mayHaveFiles]);
    expect(facts).toEqual([
      ['q0', [], undefined],
      ['q1', [], true],
      ['q2', [file], undefined],
    ]);
  });

  test('logs the code of an error or of its cause, and with each error its own', async () => {
    await unsent(turnNo(1), 'one');
    const busy = Object.assign(new Error('socket'), { code: 'ECONNRESET' });
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await run(failingQueue([new Error('failed', { cause: busy })]));
      clock += 3_600_000;
    }
    log = [];
    await run(failingQueue([new Error('failed', { cause: busy }), new TypeError('later')]));
    expect(log).toMatchObject([
      { event: 'sweep.failed', error: 'Error', code: 'ECONNRESET' },
      { event: 'sweep.given-up', error: 'Error', code: 'ECONNRESET' },
      { event: 'sweep.failed', error: 'TypeError', code: undefined },
    ]);
  });

  test('keeps the order of a thread', async () => {
    for (const n of [1, 2, 3]) {
      await turns.accept(turnNo(n, 1), `q${n}`, []);
      await turns.markUnsent(turnNo(n, 1), `q${n}`, [], clock - 10_000 + n * 1_000);
    }
    await run();
    expect(questions()).toEqual(['q1', 'q2', 'q3']);
  });

  test('backs off failing items, so that a hundred of them do not block the others', async () => {
    for (let n = 1; n <= 100; n += 1) await unsent(turnNo(n), 'bad');
    clock += 1_000;
    await unsent(turnNo(101), 'good');
    rejected = ['bad'];
    await run();
    clock += 1_000;
    await run();
    expect(questions()).toEqual(['good']);
  });

  test('gives up with a failure notice task without the question text', async () => {
    await unsent(turnNo(1), 'never');
    rejected = ['never'];
    await pass(60 * 8);
    expect(log.filter(({ event }) => event === 'sweep.failed')).toHaveLength(MAX_ATTEMPTS);
    expect(log.filter(({ event }) => event === 'sweep.given-up')).toMatchObject([{ attempts: MAX_ATTEMPTS }]);
    expect(sent.map(parseTask)).toMatchObject([
      { kind: 'apologise', message: turnNo(1).message, question: '' },
    ]);
    clock += 86_400_000;
    expect(await turns.listDue(10)).toEqual([]);
  });

  test('outlasts an outage of five hours', async () => {
    await unsent(turnNo(1), 'late');
    rejected = ['late'];
    await pass(300);
    rejected = [];
    await pass(70);
    expect(questions()).toEqual(['late']);
    expect(await turns.listDue(10)).toEqual([]);
  });

  test('resets the attempts when a check is scheduled again', async () => {
    await turns.accept(turnNo(1), 'x', []);
    await turns.scheduleReconcile(turnNo(1), clock);
    rejected = ['reconcile'];
    await pass(20);
    await turns.scheduleReconcile(turnNo(1), clock);
    log = [];
    await run();
    expect(log).toMatchObject([{ attempts: 1 }]);
  });

  test('skips an unreadable item and abandons it', async () => {
    await unsent(turnNo(1), 'strange');
    await unsent(turnNo(2), 'good');
    const [item = {}] = dynamo.items(TABLE);
    await dynamo.put({ TableName: TABLE, Item: { ...item, files: { S: '[{"strange":1}]' } } });
    expect(await run()).toEqual({ count: 1, failed: 1 });
    expect(questions()).toEqual(['good']);
    expect(log).toMatchObject([
      { event: 'sweep.failed', error: 'UnreadableTurnError', reason: 'unreadable' },
    ]);
    await pass(60 * 8);
    expect(await turns.listDue(10)).toEqual([]);
    expect(dynamo.items(TABLE)).toHaveLength(2);
  });

  test('continues after an unreadable job', async () => {
    await unsent(turnNo(1), 'good');
    const due = { open: { S: 'video' }, due: { N: '1' }, ttl: { N: '9999999999' } };
    await dynamo.put({ TableName: TABLE, Item: { pk: { S: 'job#x' }, sk: { S: 'JOB' }, ...due } });
    expect(await run()).toEqual({ count: 1, failed: 1 });
    expect(questions()).toEqual(['good']);
    expect(log).toMatchObject([{ event: 'sweep.failed', job: 'job#x', reason: 'unreadable' }]);
  });

  test('rejects if one kind of due items cannot be listed, but queues the other', async () => {
    await unsent(turnNo(1), 'good');
    const broken = { listDue: () => Promise.reject(new Error('no table')) };
    await expect(
      requeueStuckTasks({
        turns,
        jobs: broken,
        schedules,
        queue,
        transcriptionQueue: queue,
        now: () => clock,
        log: tell,
      }),
    ).rejects.toThrow('no table');
    expect(questions()).toEqual(['good']);
  });
});
