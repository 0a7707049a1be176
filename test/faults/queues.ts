import { checkQueueIds } from '../fakes/queue-ids.ts';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { GroupLock } from '../../infra/local/emulator/sqs/event-sources.ts';
import { FifoQueue, type QueueMessage } from '../../infra/local/emulator/sqs/fifo.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { serializeIsolated, type TaskMessage } from '../../shared/task-queue/index.ts';
import type { Process, FaultHarness } from './harness.ts';

const RETENTION_MS = 4 * 86_400_000;
const DEAD_VISIBILITY_MS = 180_000;
const LATE_AFTER_MS = 1_000;
/** Two workers with 20 tasks each: less capacity than a deployment has (four with 16), and schedules stay as they are when that changes. */
const WORKERS = 2;
const MAX_TASKS = 20;

type TimeLeft = Pick<Context, 'getRemainingTimeInMillis'>;

/** Processes one batch in a process of its own. */
export type Serve = (process: Process, event: SQSEvent, context: TimeLeft) => Promise<SQSBatchResponse>;

/** The task queue, its dead letters, and the event sources of both, on the simulated clock. */
export class Queues {
  readonly #harness: FaultHarness;
  readonly #tasks: Source;
  readonly #dead: Source;
  readonly #isolated: Source;

  constructor(
    harness: FaultHarness,
    serve: { tasks: Serve; dead: Serve; isolated: Serve },
    groupLock: GroupLock = 'message',
  ) {
    this.#harness = harness;
    const rules = { retentionMs: RETENTION_MS, contentDedup: false, dedupScope: 'messageGroup' } as const;
    this.#dead = new Source(harness, 'dead-letters', {
      queue: new FifoQueue({ ...rules, name: 'dead.fifo', visibilityMs: DEAD_VISIBILITY_MS }),
      groupLock,
      serve: serve.dead,
      seconds: 30,
      batchSize: 1,
      concurrency: 2,
      bury: () => undefined,
    });
    this.#isolated = new Source(harness, 'isolated', {
      queue: new FifoQueue({ ...rules, name: 'alone.fifo', visibilityMs: TASKS.visibilitySeconds * 1000 }),
      groupLock,
      serve: serve.isolated,
      seconds: TASKS.workerSeconds,
      batchSize: 1,
      concurrency: 10,
      bury: () => undefined,
    });
    this.#tasks = new Source(harness, 'worker', {
      queue: new FifoQueue({
        ...rules,
        name: 'tasks.fifo',
        visibilityMs: TASKS.visibilitySeconds * 1000,
        deadLetters: { queue: 'dead.fifo', maxReceives: TASKS.maxReceives },
      }),
      groupLock,
      serve: serve.tasks,
      seconds: TASKS.workerSeconds,
      batchSize: TASKS.batchSize,
      concurrency: WORKERS,
      bury: (message) => this.#dead.put({ ...message, receives: 0 }),
    });
  }

  send(body: string, group: string, dedup: string): void {
    checkQueueIds(group, dedup);
    this.#tasks.send(body, group, dedup, this.#harness.now);
  }

  /** Resolves with the expired receipts. */
  hide(messages: readonly { readonly receipt: string; readonly seconds: number }[]): readonly string[] {
    const { now } = this.#harness;
    return messages.flatMap(({ receipt, seconds }) =>
      this.#tasks.hide(receipt, now + seconds * 1000) ? [] : [receipt],
    );
  }

  remove(receipt: string): void {
    this.#tasks.remove(receipt);
  }

  /** The long-polling wait of a worker. */
  async receive(max: number, hiddenSeconds: number): Promise<readonly TaskMessage[]> {
    const hiddenMs = hiddenSeconds * 1000;
    const received = this.#tasks.receive(max, hiddenMs);
    if (received.length > 0) return received;
    const { now } = this.#harness;
    await new Promise<void>((resolve) => this.#harness.at(now + 1000 * TASKS.receiveWaitSeconds, resolve));
    return this.#tasks.receive(max, hiddenMs);
  }

  isolate(message: TaskMessage): void {
    const note = `${message.id}-${message.receives}`;
    this.#isolated.send(serializeIsolated(message), note, note, this.#harness.now);
  }

  removeNote(receipt: string): void {
    this.#isolated.remove(receipt);
  }

  /** A worker sends a copy of a message to the dead letters. */
  bury({ id, group, body }: TaskMessage): void {
    this.#dead.send(body, group, id, this.#harness.now);
  }
}

/** The queues as a worker has them: each request is a point for faults. */
export const queuesIn = (process: Process, queues: Queues) => ({
  queue: {
    hide: (messages: Parameters<Queues['hide']>[0]) => process.effect('hide', () => queues.hide(messages)),
    deleteMessage: (receipt: string) => process.effect('remove', () => queues.remove(receipt)),
    sendToDeadLetters: (message: TaskMessage) => process.effect('bury', () => queues.bury(message)),
  },
  isolate: (message: TaskMessage) => process.effect('isolate', () => queues.isolate(message)),
  removeNote: (receipt: string) => process.effect('remove note', () => queues.removeNote(receipt)),
  refill: {
    receive: (max: number, seconds: number) => process.effect('receive', () => queues.receive(max, seconds)),
    maxTasks: MAX_TASKS,
    maxMs: 1_000 * TASKS.refillSeconds,
  },
});

type SourceParts = {
  readonly groupLock: GroupLock;
  readonly queue: FifoQueue;
  readonly serve: Serve;
  readonly seconds: number;
  readonly batchSize: number;
  /** The maximum number of concurrent invocations. */
  readonly concurrency: number;
  readonly bury: (message: QueueMessage) => void;
};

/** A queue with the function that consumes it. */
class Source {
  readonly #harness: FaultHarness;
  readonly #name: string;
  readonly #parts: SourceParts;
  #count = 0;
  #running = 0;
  /** Groups with messages in a running invocation. */
  readonly #locked = new Set<string>();

  constructor(harness: FaultHarness, name: string, parts: SourceParts) {
    this.#harness = harness;
    this.#name = name;
    this.#parts = parts;
  }

  send(body: string, group: string, dedup: string, now: number): void {
    if (this.#parts.queue.findDuplicate(group, dedup, now)) return;
    this.#count += 1;
    const id = `${this.#name}-${this.#count}`;
    this.#parts.queue.add({
      id,
      group,
      dedup,
      body,
      attributes: {},
      sentAt: now,
      sequence: this.#count,
      receives: 0,
    });
    this.#harness.at(now, () => this.#deliver());
  }

  put(message: QueueMessage): void {
    this.#parts.queue.put(message);
    this.#harness.at(this.#harness.now, () => this.#deliver());
  }

  /** Whether the receipt is still that of a message in flight. */
  hide(receipt: string, until: number): boolean {
    const located = this.#parts.queue.findByReceipt(receipt, this.#harness.now);
    if (!located?.inFlight) return false;
    this.#parts.queue.hide(receipt, until);
    this.#harness.at(until, () => this.#deliver());
    return true;
  }

  remove(receipt: string): void {
    const located = this.#parts.queue.findByReceipt(receipt, this.#harness.now);
    // As in any FIFO queue, a receipt expires with its visibility timeout.
    if (located?.inFlight) this.#parts.queue.remove(located.message.id, located.message.group);
    this.#harness.at(this.#harness.now, () => this.#deliver());
  }

  #deliver(): void {
    const { batchSize, concurrency, queue } = this.#parts;
    while (this.#running < concurrency) {
      const records = this.#take(batchSize, queue.rules.visibilityMs, this.#locked);
      if (records.length === 0) return;
      // Late: a received message is visible again by then, with another receipt.
      const lateMs = queue.rules.visibilityMs + LATE_AFTER_MS;
      this.#harness.deliver(`deliver to ${this.#name}`, lateMs, () => this.#invoke(records));
    }
  }

  /** Messages for a consumer that receives by itself, without Lambda. */
  receive(max: number, hiddenMs: number): readonly TaskMessage[] {
    return this.#take(max, hiddenMs).map(({ messageId, receiptHandle, body, attributes }) => ({
      id: messageId,
      group: attributes.MessageGroupId ?? '',
      body,
      receipt: receiptHandle,
      receives: Number(attributes.ApproximateReceiveCount),
    }));
  }

  #take(max: number, hiddenMs: number, except?: ReadonlySet<string>): SQSRecord[] {
    const { queue, bury } = this.#parts;
    const { now } = this.#harness;
    const { ready, dead } = queue.selectMessages(max, now, except);
    for (const { id, group } of dead) {
      const message = queue.remove(id, group);
      if (message) bury(message);
    }
    return ready.flatMap(({ id, group }) => {
      const receipt = `${id}/${now}/${(this.#count += 1)}`;
      const until = now + hiddenMs;
      const message = queue.receive(id, group, receipt, until, now);
      this.#harness.at(until, () => this.#deliver());
      return message ? [record(message, receipt)] : [];
    });
  }

  #lock(records: readonly SQSRecord[], process: Process): void {
    if (this.#parts.groupLock === 'message') return;
    const groups = records.map(({ attributes }) => attributes.MessageGroupId ?? '');
    for (const group of groups) this.#locked.add(group);
    process.onDeath(() => {
      for (const group of groups) this.#locked.delete(group);
      this.#harness.at(this.#harness.now, () => this.#deliver());
    });
  }

  /** Lambda: the messages that the function reports as failed stay; if it dies or times out, all stay. */
  #invoke(records: SQSRecord[]): void {
    const process = this.#harness.spawn(`${this.#name} ${(this.#count += 1)}`);
    const end = this.#harness.now + this.#parts.seconds * 1000;
    this.#harness.at(end, () => process.die());
    this.#lock(records, process);
    this.#running += 1;
    process.onDeath(() => {
      this.#running -= 1;
      this.#harness.at(this.#harness.now, () => this.#deliver());
    });
    const context: TimeLeft = { getRemainingTimeInMillis: () => end - this.#harness.now };
    const finish = ({ batchItemFailures }: SQSBatchResponse): void => {
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { messageId, receiptHandle } of records) {
        if (!failed.has(messageId)) this.remove(receiptHandle);
      }
      process.die();
      this.#deliver();
    };
    this.#parts.serve(process, { Records: records }, context).then(finish, () => process.die());
  }
}

function record(message: QueueMessage, receiptHandle: string): SQSRecord {
  return {
    messageId: message.id,
    receiptHandle,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receives),
      SentTimestamp: String(message.sentAt),
      SenderId: 'front',
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
      MessageGroupId: message.group,
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: 'local',
  };
}
