import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { createVideoCallback } from '../../../../functions/composition/video/video-callback.ts';
import { channelId, messageId, parseTask, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { type Dynamo, Jobs, hashSecret } from '../../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../../fakes/dynamo.ts';
import { FakeQueue } from '../../../fakes/messenger.ts';

const SECRET = randomBytes(32).toString('base64url');
const START = 1_700_000_000_000;

/** Every request to the table, by name. */
function counted(dynamo: Dynamo): Dynamo & { readonly calls: string[] } {
  const calls: string[] = [];
  const noted = <T>(name: string, result: T): T => {
    calls.push(name);
    return result;
  };
  return {
    calls,
    get: (input) => noted(input.ConsistentRead === true ? 'get' : 'glance', dynamo.get(input)),
    put: (input) => noted('put', dynamo.put(input)),
    update: (input) => noted('update', dynamo.update(input)),
    delete: (input) => noted('delete', dynamo.delete(input)),
    query: (input) => noted('query', dynamo.query(input)),
  };
}

async function harness() {
  let now = START;
  const dynamo = counted(createMemoryDynamo());
  const jobs = new Jobs({ dynamo, table: 'conversations', days: 30, now: () => now });
  const queue = new FakeQueue();
  const logged: string[] = [];
  const workspace = workspaceId('T1');
  const job = await jobs.create('wish', {
    by: { platform: 'slack', workspace, user: userId('U1') },
    thread: { platform: 'slack', workspace, channel: channelId('C1'), root: messageId('1.1') },
    state: 'submitted',
    requestMessage: messageId('1.1'),
    prompt: 'waves',
    model: 'model-a-video',
    picture: { id: 'F1', name: 'a.png', mimetype: 'image/png', bytes: 1 },
    key: 'key',
    secretHash: hashSecret(SECRET),
    due: START,
  });
  dynamo.calls.length = 0;
  const handle = createVideoCallback({
    jobs,
    queue,
    now: () => now,
    log: (event) => void logged.push(event),
  });
  const post = async (id: string, secret: string, body: string | undefined = '{}') =>
    handle({ pathParameters: { job: id, secret }, headers: {}, body, isBase64Encoded: false });
  return { jobs, job, queue, dynamo, logged, handle, post, pass: (ms: number) => void (now += ms) };
}

const other = (n: number): string => {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32BE(n);
  return bytes.toString('base64url');
};

describe('a video callback', () => {
  test('with the right URL is accepted at once, and queues a check of the job in the group of its thread', async () => {
    const { job, queue, post, dynamo } = await harness();
    expect(await post(job.id, SECRET)).toEqual({ statusCode: 202, body: '' });
    expect(dynamo.calls).toEqual(['glance']);
    expect(queue.sent).toHaveLength(1);
    expect(queue.sent[0]?.group).toBe('slack#T1#C1#1.1');
    expect(queue.sent[0]?.dedup.length).toBeLessThanOrEqual(128);
    expect(parseTask(queue.sent[0]?.body ?? '')).toMatchObject({ kind: 'video', jobId: job.id });
  });

  test('gets the same response for an unknown, a wrong and a finished job, and queues nothing', async () => {
    const { jobs, job, queue, post } = await harness();
    const nothing = { statusCode: 404, body: '' };
    const unknown = `${'0'.repeat(16)}-${'0'.repeat(20)}`;
    expect(await post(unknown, SECRET)).toEqual(nothing);
    expect(await post(job.id, other(1))).toEqual(nothing);
    expect(await post('../../etc', SECRET)).toEqual(nothing);
    expect(await post(job.id, `${SECRET}x`)).toEqual(nothing);
    await jobs.save(job, { state: 'cancelled' });
    expect(await post(job.id, SECRET)).toEqual(nothing);
    expect(queue.sent).toEqual([]);
  });

  test('is only a hint: any body queues the same task', async () => {
    const { job, queue, handle } = await harness();
    const bodies = fc.oneof(
      fc.json(),
      fc.string({ maxLength: 2_000 }),
      fc.constant(undefined),
      fc.constant(''),
    );
    await fc.assert(
      fc.asyncProperty(bodies, fc.boolean(), async (body, isBase64Encoded) => {
        const answer = await handle({
          pathParameters: { job: job.id, secret: SECRET },
          headers: {},
          body,
          isBase64Encoded,
        });
        expect(answer.statusCode).toBe(202);
      }),
    );
    expect(new Set(queue.sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(queue.sent.map(({ dedup }) => dedup)).size).toBe(1);
  });

  test('may have 64 KB, and not a byte more', async () => {
    const { job, post, dynamo } = await harness();
    expect((await post(job.id, SECRET, 'x'.repeat(65_536))).statusCode).toBe(202);
    dynamo.calls.length = 0;
    expect((await post(job.id, SECRET, 'x'.repeat(65_537))).statusCode).toBe(413);
    expect(dynamo.calls).toEqual([]);
  });

  test('queues a further check; simultaneous checks are deduplicated', async () => {
    const { job, queue, post, pass } = await harness();
    await post(job.id, SECRET);
    await post(job.id, SECRET);
    pass(10_000);
    await post(job.id, SECRET);
    expect(new Set(queue.sent.map(({ dedup }) => dedup)).size).toBe(2);
  });

  test('gets a retryable response when the table or the queue fails', async () => {
    const { jobs, job, logged } = await harness();
    const queue = { send: () => Promise.reject(new Error('no queue')) };
    const handle = createVideoCallback({
      jobs,
      queue,
      now: () => START,
      log: (event) => void logged.push(event),
    });
    const answer = await handle({ pathParameters: { job: job.id, secret: SECRET }, body: '' });
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
    expect(logged).toEqual(['video.callback-failed']);
  });

  test('that is not an API Gateway event is rejected', async () => {
    const { handle } = await harness();
    for (const event of [undefined, null, 7, {}, { pathParameters: { job: 7 } }])
      expect(await handle(event)).toMatchObject({ statusCode: 404 });
  });
});
