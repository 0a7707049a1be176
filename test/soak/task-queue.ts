import { FifoQueue } from '../../infra/local/emulator/sqs/fifo.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import type { Queue } from '../../shared/aws/sqs-queue.ts';
import type { Time } from '../../shared/runtime/time.ts';
import type { QueuePort, TaskMessage } from '../../shared/task-queue/index.ts';

const DAY_MS = 86_400_000;

/** The task queue on a simulated clock, as a long-running worker sees it. */
export class TaskQueue implements Queue {
  readonly #time: Time;
  readonly #queue = new FifoQueue({
    name: 'tasks.fifo',
    visibilityMs: TASKS.visibilitySeconds * 1_000,
    retentionMs: 4 * DAY_MS,
    contentDedup: false,
    dedupScope: 'messageGroup',
  });
  #count = 0;
  /** The receives that wait for a message, the longest first. */
  readonly #waiting = new Set<() => void>();
  /** Unexpected: tasks that were given up. */
  readonly givenUp: string[] = [];

  constructor(time: Time) {
    this.#time = time;
  }

  async send(body: string, group: string, dedup: string): Promise<void> {
    const now = this.#time.now();
    if (this.#queue.findDuplicate(group, dedup, now)) return;
    const sequence = (this.#count += 1);
    const id = String(sequence);
    this.#queue.add({ id, group, dedup, body, attributes: {}, sentAt: now, sequence, receives: 0 });
    this.#wakeOne();
  }

  /** The long-polling wait for the first message (s), as in SQS. */
  async receive(max: number, hiddenSeconds: number, waitSeconds: number): Promise<readonly TaskMessage[]> {
    const messages = this.#take(max, hiddenSeconds);
    if (messages.length > 0) return messages;
    const over = new AbortController();
    const wake = (): void => over.abort();
    this.#waiting.add(wake);
    await this.#time.sleep(1_000 * waitSeconds, over.signal).catch(() => undefined);
    this.#waiting.delete(wake);
    return this.#take(max, hiddenSeconds);
  }

  get port(): QueuePort {
    return {
      hide: async (messages) => {
        const now = this.#time.now();
        return messages.flatMap(({ receipt, seconds }) => {
          if (this.#queue.findByReceipt(receipt, now)?.inFlight !== true) return [receipt];
          this.#queue.hide(receipt, now + 1_000 * seconds);
          return [];
        });
      },
      deleteMessage: async (receipt) => {
        const located = this.#queue.findByReceipt(receipt, this.#time.now());
        if (located?.inFlight) this.#queue.remove(located.message.id, located.message.group);
        // The next message of its group becomes available.
        this.#wakeOne();
      },
      sendToDeadLetters: async ({ body }) => void this.givenUp.push(body),
    };
  }

  get isEmpty(): boolean {
    return this.#queue.isEmpty();
  }

  #wakeOne(): void {
    const [wake] = this.#waiting;
    if (!wake) return;
    this.#waiting.delete(wake);
    wake();
  }

  #take(max: number, hiddenSeconds: number): readonly TaskMessage[] {
    const now = this.#time.now();
    return this.#queue.selectMessages(max, now).ready.flatMap(({ id, group }) => {
      const receipt = `${id}/${(this.#count += 1)}`;
      const message = this.#queue.receive(id, group, receipt, now + 1_000 * hiddenSeconds, now);
      return message ? [{ id, group, body: message.body, receipt, receives: message.receives }] : [];
    });
  }
}
