import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Delivery, Log, Verdict } from '../shared/flows/index.ts';
import { TASKS } from '../shared/runtime/names.ts';
import type { Time } from '../shared/runtime/time.ts';

export type BatchDeps = {
  readonly serve: (body: string, delivery: Delivery) => Promise<Verdict>;
  /** Hides a message from other workers for this long from now; 0 gives it back. */
  readonly hide: (receiptHandle: string, seconds: number) => Promise<void>;
  /** Takes a message off the queue at once, so that its group goes on while others of the batch are still worked on. */
  readonly remove: (receiptHandle: string) => Promise<void>;
  readonly time: Time;
  readonly log: Log;
};

/** What an invocation needs after the last moment of its work, to store and show how far it got. */
const CLOSING_MS = 15_000;
/** What is not the first of its group is not begun with less time left than this: it would have to break off. */
const WORTH_BEGINNING_MS = 200_000;
/** While a worker lives, its messages stay hidden; once it died, they are back after this. */
const HIDDEN_SECONDS = 70;
const EXTEND_MS = 30_000;
/** So that first words, which are due sooner, do not wait for it. Until then the queue's own time holds, which is longer. */
const FIRST_MS = 100;

/**
 * Serves one batch of the FIFO queue: the groups side by side, each group in order. A message that fails stays on the
 * queue, and so do those behind it in its group.
 */
export async function serveBatch(
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
  deps: BatchDeps,
): Promise<SQSBatchResponse> {
  const deadline = deps.time.now() + context.getRemainingTimeInMillis() - CLOSING_MS;
  const open = new Set(event.Records);
  const over = new AbortController();
  const hiding = keepHidden(open, deps, over.signal);
  const groups = Map.groupBy(event.Records, ({ attributes }) => attributes.MessageGroupId ?? '');
  const failed = await Promise.all(
    [...groups.values()].map((records) => serveGroup(records, deadline, open, deps)),
  );
  over.abort();
  await hiding;
  return { batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** Resolves with the records that stay on the queue. */
async function serveGroup(
  records: readonly SQSRecord[],
  deadline: number,
  open: Set<SQSRecord>,
  deps: BatchDeps,
): Promise<readonly SQSRecord[]> {
  for (const [i, record] of records.entries()) {
    const late = i > 0 && deadline - deps.time.now() < WORTH_BEGINNING_MS;
    const backAfterMs = late ? 0 : await serveOne(record, deadline, deps);
    open.delete(record);
    if (backAfterMs === undefined) {
      // Not vital: at the end of the batch the queue removes it. Until then its group would stand still.
      if (open.size > 0) await deps.remove(record.receiptHandle).catch(() => undefined);
    } else {
      const rest = records.slice(i);
      for (const waiting of rest) {
        open.delete(waiting);
        await deps.hide(waiting.receiptHandle, Math.ceil(backAfterMs / 1000)).catch(() => undefined);
      }
      return rest;
    }
  }
  return [];
}

/** Resolves with after how long the message is to be delivered again, or undefined when it is done. */
async function serveOne(record: SQSRecord, deadline: number, deps: BatchDeps): Promise<number | undefined> {
  const receives = Number(record.attributes.ApproximateReceiveCount);
  try {
    const verdict = await deps.serve(record.body, {
      deadline,
      again: receives > 1,
      last: receives >= TASKS.maxReceives,
    });
    return verdict.kind === 'later' ? verdict.afterMs : undefined;
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    deps.log('task.broken', { messageId: record.messageId, receives, error: name });
    return 1000 * Math.min(60, 2 ** (receives - 1));
  }
}

async function keepHidden(open: ReadonlySet<SQSRecord>, deps: BatchDeps, signal: AbortSignal): Promise<void> {
  for (let ms = FIRST_MS; ; ms = EXTEND_MS) {
    await deps.time.sleep(ms, signal).catch(() => undefined);
    if (signal.aborted) return;
    const handles = [...open].map(({ receiptHandle }) => receiptHandle);
    await Promise.allSettled(handles.map((handle) => deps.hide(handle, HIDDEN_SECONDS)));
  }
}
