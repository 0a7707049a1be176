import { afterEach, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createAwsCall } from '../../shared/aws/aws-request.ts';
import { TaskSegments } from '../../shared/aws/xray-segments.ts';
import { getTaskTrace } from '../../shared/runtime/task-trace.ts';
import { type Segment, createXRayOperations } from '../../infra/local/emulator/xray.ts';
import { type Act, awsServer } from '../runtime/aws.ts';

const ROOT = '1-5759e988-bd862e3fe1be46a994272793';
const PARENT = '53995c3f42cd8ad8';
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function harness(act: Act = { status: 200, body: '{"UnprocessedTraceSegments":[]}' }) {
  const { access, requests, close } = await awsServer(act);
  closers.push(close);
  const aws = createAwsCall({ ...access, endpoints: { xray: access.endpoints.sqs ?? '' } });
  let now = 1_000;
  const segments = new TaskSegments('Parley-dev-worker', aws, () => (now += 500));
  return { requests, segments };
}

const Body = v.object({ TraceSegmentDocuments: v.array(v.string()) });

test('a task is a segment in the trace of its message, with its phases; messages that it queues are children of the segment', async () => {
  const { requests, segments } = await harness();
  let queued: string | undefined;
  await segments.record(`Root=${ROOT};Parent=${PARENT};Sampled=1`, async () => {
    queued = getTaskTrace();
    segments.note([{ name: 'first word', fromMs: 1_600, toMs: 1_900 }], {
      platform: 'slack',
      left: undefined,
    });
  });
  const [{ body, headers } = { body: '', headers: {} }] = requests;
  expect(headers['content-type']).toBe('application/json');
  expect(headers['authorization']).toMatch(/\/xray\/aws4_request/u);
  const recorded: Segment[] = [];
  // By the rules of X-Ray, as the local one holds to them.
  const answer = createXRayOperations(recorded)['POST /TraceSegments']?.(
    JSON.parse(body),
    new AbortController().signal,
  );
  expect(answer).toEqual({ UnprocessedTraceSegments: [] });
  expect(recorded).toEqual([
    {
      id: expect.any(String),
      name: 'Parley-dev-worker',
      trace_id: ROOT,
      parent_id: PARENT,
      start_time: 1.5,
      end_time: 2,
      annotations: { platform: 'slack' },
      subsegments: [{ id: expect.any(String), name: 'first word', start_time: 1.6, end_time: 1.9 }],
    },
  ]);
  expect(queued).toBe(`Root=${ROOT};Parent=${recorded[0]?.id};Sampled=1`);
});

test('concurrent tasks of one process have separate segments', async () => {
  const { requests, segments } = await harness();
  const gate = Promise.withResolvers<void>();
  const roots = [ROOT, ROOT.replace('5759', '5760')];
  const tasks = roots.map((root, nth) =>
    segments.record(`Root=${root};Sampled=1`, async () => {
      await gate.promise;
      segments.note([], { nth });
    }),
  );
  gate.resolve();
  await Promise.all(tasks);
  const documents = requests.flatMap(({ body }) => v.parse(Body, JSON.parse(body)).TraceSegmentDocuments);
  const read = documents.map((one): unknown => JSON.parse(one));
  expect(read).toHaveLength(2);
  for (const [nth, trace_id] of roots.entries())
    expect(read).toContainEqual(expect.objectContaining({ trace_id, annotations: { nth } }));
});

test('a trace that is not sampled, and a task without a trace, have no segment', async () => {
  const { requests, segments } = await harness();
  const header = `Root=${ROOT};Parent=${PARENT};Sampled=0`;
  expect(await segments.record(header, async () => getTaskTrace())).toBe(header);
  expect(await segments.record(undefined, async () => 'done')).toBe('done');
  expect(requests).toEqual([]);
});

test('a task that fails has a segment with a fault, and its error stays the same', async () => {
  const { requests, segments } = await harness();
  const failing = segments.record(`Root=${ROOT};Sampled=1`, () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');
  expect(requests[0]?.body).toContain('\\"fault\\":true');
});

test('a task succeeds even if X-Ray fails', async () => {
  const { segments } = await harness({ status: 500, body: '' });
  expect(await segments.record(`Root=${ROOT};Sampled=1`, async () => 'done')).toBe('done');
});
