import * as z from 'zod/mini';
import type { EventSource } from '../../template/template-resources.ts';
import { REGION } from '../../template/data-paths.ts';
import type { Queues, Received } from './queues.ts';
import { md5 } from './checksums.ts';
import { systemAttributes } from './server.ts';
import type { Outcome } from '../../functions/thread.ts';

/** The furthest a timer looks ahead: longer ones would overflow. */
const MAX_TIMER_MS = 12 * 3_600_000;

const PartialAnswer = z.nullish(
  z.object({ batchItemFailures: z.nullish(z.array(z.object({ itemIdentifier: z.string() }))) }),
);

/**
 * Until when Lambda keeps the messages of a group from other invocations, where the function deletes the one it holds before it
 * ends: until then (`message`), or until the invocation has ended (`invocation`). AWS documents neither, so everything has to hold under both.
 */
export type GroupLock = 'message' | 'invocation';

export type Deliveries = {
  readonly queues: Queues;
  readonly invoke: (functionId: string, event: unknown) => Promise<Outcome>;
  readonly note: (line: string) => void;
  readonly now: () => number;
  readonly groupLock?: GroupLock;
};

/**
 * Brings the messages of one queue to its function as Lambda does: in batches, several at a time, at once when a
 * message becomes visible. What the function took is deleted; what it reports as failed stays hidden until its time
 * is up, or until the time that the function itself set with ChangeMessageVisibility. Returns how to stop taking.
 */
export function startDelivery(source: EventSource, deliveries: Deliveries): () => void {
  const { queues, now, groupLock = 'message' } = deliveries;
  /** Groups of which an invocation has messages, with how many invocations have some. */
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
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let planned = false;

  const takeAll = () => {
    planned = false;
    if (stopped) return;
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
  // Once per turn of the event loop, and never inside the send that caused it.
  const plan = () => {
    if (planned || stopped) return;
    planned = true;
    setImmediate(takeAll);
  };
  const unsubscribe = queues.onChange(source.queue, plan);
  plan();
  return () => {
    stopped = true;
    clearTimeout(timer);
    unsubscribe();
  };
}

async function deliver(
  source: EventSource,
  batch: readonly Received[],
  { queues, invoke, note }: Deliveries,
) {
  const outcome = await invoke(source.functionId, {
    Records: batch.map((received) => record(source, received)),
  });
  const failed = failedIds(source, batch, outcome);
  if (failed.size > 0) note(`${source.functionId}: ${failed.size} of ${batch.length} messages come again`);
  const blocked = new Set<string>();
  for (const { message, receipt } of batch) {
    if (failed.has(message.id)) {
      blocked.add(message.group);
    } else if (blocked.has(message.group)) {
      // Lambda would delete it, though it may never have been handled: the function must report it as well.
      note(
        `${source.functionId} reported a failure but not message ${message.id} after it in the same group`,
      );
    } else queues.delete(source.queue, receipt);
  }
}

/** Lambda's reading of a partial answer: anything but a list of ids of this batch means that all failed. */
function failedIds(source: EventSource, batch: readonly Received[], outcome: Outcome): Set<string> {
  const all = new Set(batch.map(({ message }) => message.id));
  if (outcome.kind !== 'answer') return all;
  if (!source.partialFailures) return new Set();
  const answer = PartialAnswer.safeParse(JSON.parse(outcome.payload));
  if (!answer.success) return all;
  const ids = (answer.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return ids.every((id) => all.has(id)) ? new Set(ids) : all;
}

function record(source: EventSource, { message, receipt }: Received) {
  return {
    messageId: message.id,
    receiptHandle: receipt,
    body: message.body,
    attributes: systemAttributes(message),
    messageAttributes: {},
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN: source.queueArn,
    awsRegion: REGION,
  };
}
