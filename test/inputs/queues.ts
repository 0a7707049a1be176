import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import {
  serveBatch,
  serveDeadLetters,
  serveIsolated,
  serveOneByOne,
} from '../../functions/composition/process/sqs-batch.ts';
import { parseTranscriptionTask, type QueueDelivery, type TaskResult } from '../../shared/domain/index.ts';
import { handleDeadLetter, OTHER_VERSION, dispatchTask } from '../../shared/worker/index.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import { Recordings } from '../../shared/storage/index.ts';
import type { Random } from '../faults/seeded-random.ts';
import { commandHarness as commandRig } from '../commands/command-harness.ts';
import { voiceHarness as voiceRig } from '../voice/voice-harness.ts';
import { queueHarness } from '../task-queue/queue-harness.ts';
import type { EntryPoint, Try } from './entry-point.ts';
import { asJson, type Json } from './json.ts';
import { bodyFrom, pick } from './mutate.ts';
import { describe } from './run-block.ts';

const queues = v.parse(
  v.object({ tasks: v.array(v.unknown()), recordings: v.array(v.unknown()) }),
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'storage', 'kept', 'tasks.json'), 'utf8')),
);
const TASKS = queues.tasks.map(asJson);
const RECORDINGS = queues.recordings.map(asJson);

const anyOf = (random: Random, of: readonly Json[]): Json => of[Math.floor(random() * of.length)] ?? null;

/** An SQS record of a Lambda event, with this body. */
const record = (body: string): Record<string, Json> => ({
  messageId: 'm1',
  receiptHandle: 'r1',
  body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '1790000000000',
    MessageGroupId: 'slack#T1#C1#1.1',
    MessageDeduplicationId: 'd1',
    SenderId: 'A',
    ApproximateFirstReceiveTimestamp: '1790000000000',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:1:tasks.fifo',
  awsRegion: 'us-east-1',
});

const DONE: TaskResult = { kind: 'done' };
const lambda = { getRemainingTimeInMillis: () => 840_000 };

/** The workers of all queues, with the features that process the messages. */
function workers() {
  const commands = commandRig();
  const voice = voiceRig();
  const at = queueHarness();
  const thrown: unknown[] = [];
  const noting =
    (serve: (body: string, delivery: QueueDelivery) => Promise<TaskResult>) =>
    async (body: string, delivery: QueueDelivery): Promise<TaskResult> => {
      try {
        return await serve(body, delivery);
      } catch (error) {
        thrown.push(error);
        return DONE;
      }
    };
  const time = { now: at.deps.time.now, sleep: commands.time.sleep };
  const store = { dynamo: commands.dynamo, table: 'conversations', days: 30, now: commands.time.now };
  const delivery: QueueDelivery = {
    deadline: commands.time.now() + 60_000,
    isRedelivery: false,
    isLast: false,
  };
  const context = {
    ...at.deps,
    time,
    removeNote: async () => undefined,
    serve: noting((body) => dispatchTask(body, commands.context, delivery)),
  };
  const listening = {
    ...at.deps,
    time,
    serve: noting(async (body) => {
      const task = parseTranscriptionTask(body);
      return task ? runTranscriptionTask(task, voice.context, voice.delivery) : OTHER_VERSION;
    }),
  };
  const buried = (body: string): Promise<TaskResult> =>
    noting(() => handleDeadLetter(body, { ...commands.context, recordings: new Recordings(store) }))(
      body,
      delivery,
    );
  return { context, listening, buried, thrown };
}

type Workers = ReturnType<typeof workers>;
type Serve = (body: string, of: Workers) => Promise<unknown>;
const event = (body: string) => v.parse(sqsEvent, { Records: [record(body)] });
const sqsEvent = v.object({
  Records: v.array(
    v.custom<Parameters<typeof serveBatch>[0]['Records'][number]>((of) => typeof of === 'object'),
  ),
});

const QUEUES: readonly [readonly [Serve, readonly Json[]], ...(readonly [Serve, readonly Json[]])[]] = [
  [(body, { context }) => serveBatch(event(body), lambda, context), TASKS],
  [(body, { listening }) => serveOneByOne(event(body), lambda, listening), RECORDINGS],
  [(body, { buried }) => serveDeadLetters(event(body), buried, () => undefined), [...TASKS, ...RECORDINGS]],
  [
    (body, { context }) => serveIsolated(event(body), lambda, context),
    TASKS.map((task) => ({
      v: 1,
      message: { id: 'm1', group: 'g', body: JSON.stringify(task), receipt: 'r', receives: 1 },
    })),
  ],
];

/** Runs bodies of this and other versions from every queue through the workers. */
export const queuesEntry: EntryPoint = {
  name: 'queues',
  share: 4,
  open: (random): Try => {
    const of = workers();
    return async () => {
      const [serve, samples] = pick(random, QUEUES);
      await serve(bodyFrom(random, anyOf(random, samples)).toString('utf8'), of);
      const [error] = of.thrown.splice(0);
      return fault(error);
    };
  },
};

/** A feature may reject a message, but must not throw a programming error on it. */
export function fault(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const name = error instanceof Error ? error.name : 'unknown';
  const stumbled = ['TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'unknown'].includes(name);
  return stumbled ? `it threw ${describe(error)}` : undefined;
}
