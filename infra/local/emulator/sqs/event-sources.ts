import * as v from 'valibot';
import type { EventSource } from '../../template/resource-types.ts';
import { REGION } from '../../template/resource-names.ts';
import type { Queues, ReceivedMessage } from './queues.ts';
import { md5 } from './checksums.ts';
import { getSystemAttributes } from './server.ts';
import { LOAD_ERROR_TYPE } from '../../functions/functions.ts';
import type { InvocationOutcome } from '../../functions/thread.ts';

/** Maximum timer delay; longer ones would overflow. */
const MAX_TIMER_MS = 12 * 3_600_000;

const PartialAnswer = v.nullish(
  v.object({ batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.string() }))) }),
);

/**
 * How long Lambda blocks a group's messages for other invocations when the function deletes its message early: until then
 * (`message`), or until the invocation ends (`invocation`). AWS documents neither, so the system must work with both.
 */
export type GroupLock = 'message' | 'invocation';

export type DeliveryContext = {
  readonly queues: Queues;
  readonly invoke: (functionId: string, event: unknown) => Promise<InvocationOutcome>;
  readonly note: (line: string) => void;
  readonly now: () => number;
  /** For how long a function is not started, because it could not be loaded (ms). */
  readonly pauseMs?: (functionId: string) => number;
  readonly groupLock?: GroupLock;
};

/**
 * Delivers the messages of a queue to its function like Lambda: in batches, several concurrently, as soon as a message becomes
 * visible. Processed messages are deleted; failed ones stay hidden until their visibility timeout, or until the time set with
 * ChangeMessageVisibility. Those of a function that could not be loaded stay hidden until it is started again. Returns a stop function.
 */
export function startDelivery(source: EventSource, deliveries: DeliveryContext): () => void {
  const { queues, now, groupLock = 'message' } = deliveries;
  /** The number of invocations that have messages of each group. */
  const locked = new Map<string, number>();
  const lock = (groups: ReadonlySet<string>, by: 1 | -1): void => {
    if (groupLock === 'message') return;
    for (const group of groups) {
      const count = (locked.get(group) ?? 0) + by;
      if (count > 0) locked.set(group, count);
      else locked.delete(group);
    }
  };
  let batches = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let isPlanned = false;

  const takeAll = () => {
    isPlanned = false;
    if (isStopped) return;
    // Lambda too receives less while a function fails. Source: docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html.
    const pauseMs = deliveries.pauseMs?.(source.functionId) ?? 0;
    if (pauseMs > 0) {
      clearTimeout(timer);
      timer = setTimeout(plan, pauseMs);
      return;
    }
    while (batches < source.concurrency) {
      const batch = queues.receive(source.queue, source.batchSize, undefined, new Set(locked.keys()));
      if (batch.length === 0) break;
      batches += 1;
      const groups = new Set(batch.map(({ message }) => message.group));
      lock(groups, 1);
      void deliver(source, batch, deliveries).finally(() => {
        batches -= 1;
        lock(groups, -1);
        plan();
      });
    }
    clearTimeout(timer);
    const next = queues.nextVisible(source.queue);
    if (next !== undefined) timer = setTimeout(plan, Math.min(next - now(), MAX_TIMER_MS));
  };
  // Once per turn of the event loop, and never synchronously in a send.
  const plan = () => {
    if (isPlanned || isStopped) return;
    isPlanned = true;
    setImmediate(takeAll);
  };
  const unsubscribe = queues.onChange(source.queue, plan);
  plan();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    unsubscribe();
  };
}

async function deliver(
  source: EventSource,
  batch: readonly ReceivedMessage[],
  { queues, invoke, note, pauseMs }: DeliveryContext,
) {
  const outcome = await invoke(source.functionId, {
    Records: batch.map((received) => toRecord(source, received)),
  });
  const failed = parseFailedIds(source, batch, outcome);
  if (failed.size > 0) note(`${source.functionId}: ${failed.size} of ${batch.length} messages come again`);
  // The handler did not run: the messages come again as soon as the function is started again. On Lambda they wait for their visibility timeout.
  const restartMs = isUnloaded(outcome) ? (pauseMs?.(source.functionId) ?? 0) : 0;
  const blocked = new Set<string>();
  for (const { message, receipt } of batch) {
    if (failed.has(message.id)) {
      blocked.add(message.group);
      if (restartMs > 0) queues.changeVisibility(source.queue, receipt, restartMs);
    } else if (blocked.has(message.group)) {
      // Lambda would delete it, although it may be unprocessed: the function must report it too.
      note(
        `${source.functionId} reported a failure but not message ${message.id} after it in the same group`,
      );
    } else queues.delete(source.queue, receipt);
  }
}

const isUnloaded = (outcome: InvocationOutcome): boolean =>
  outcome.kind === 'failed' && outcome.errorType === LOAD_ERROR_TYPE;

/** Interprets a partial batch response like Lambda: without a list of ids of this batch, all messages failed. */
function parseFailedIds(
  source: EventSource,
  batch: readonly ReceivedMessage[],
  outcome: InvocationOutcome,
): Set<string> {
  const all = new Set(batch.map(({ message }) => message.id));
  if (outcome.kind !== 'answer') return all;
  if (!source.partialFailures) return new Set();
  const answer = v.safeParse(PartialAnswer, JSON.parse(outcome.payload));
  if (!answer.success) return all;
  const ids = (answer.output?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return ids.every((id) => all.has(id)) ? new Set(ids) : all;
}

function toRecord(source: EventSource, { message, receipt }: ReceivedMessage) {
  return {
    messageId: message.id,
    receiptHandle: receipt,
    body: message.body,
    attributes: getSystemAttributes(message),
    messageAttributes: {},
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN: source.queueArn,
    awsRegion: REGION,
  };
}
