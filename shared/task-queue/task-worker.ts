import { AttemptRunner } from './attempt-runner.ts';
import { Groups, type GroupsDeps, MIN_TASK_TIME_MS } from './groups.ts';
import type { TaskMessage } from './message.ts';
import { NO_LONGER_NEEDED, Visibility } from './visibility.ts';

export type WorkerDeps = GroupsDeps & { readonly refill: Refill };

/** How a working process receives more messages. */
export type Refill = {
  /**
   * Receives up to `max` messages, hidden for `hiddenSeconds`; waits up to two seconds for the first. Cannot be
   * cancelled.
   */
  readonly receive: (max: number, hiddenSeconds: number) => Promise<readonly TaskMessage[]>;
  /** The maximum number of messages of a process. */
  readonly maxTasks: number;
  /** How long after its start a process receives more (ms); at least half of this. */
  readonly maxMs: number;
};

/**
 * Tasks shorter than this end before a receive would. Nothing is received during this time, because the process
 * would have to stay for the result.
 */
const SHORT_TASK_MS = 300;
/** This many messages at once indicate more. */
const BUSY_BATCH_SIZE = 5;
/**
 * The pause after the first empty receive, in a process with one task, and after each further one: a receive costs as much as
 * two tenths of a second of waiting, and delays the end. The first one is shorter, since of people who ask at the same time
 * some come a moment later.
 */
const SINGLE_TASK_PAUSES_MS = { first: 4_000, further: 12_000 } as const;
/**
 * With more tasks, the pause after the first empty receive, and the longest: both divided by the number of tasks, because the
 * process with the most tasks will run longest.
 */
const PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 8_000;
/** The delay after a failed receive. */
export const RECEIVE_RETRY_DELAY_MS = 1_000;

/**
 * Runs tasks of a FIFO queue in one process: groups in parallel, each in order. While it works it receives more
 * messages, so that many tasks share the time in which an answer waits for the model. It never stays only to
 * wait for messages. A task that fails stays on the queue, and so do the following ones of its group.
 *
 * A message that may have crashed a process, or is too large for this one, is handed to an isolated process. So
 * a task that crashes its process harms another task at most once, and a task that crashed three processes is
 * given up.
 */
export class TaskWorker {
  readonly #deps: WorkerDeps;
  readonly #visibility: Visibility;
  readonly #runner: AttemptRunner;
  readonly #groups: Groups;
  /** The receipts of the caller's messages. */
  readonly #receipts = new Set<string>();
  #isReceiving = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#visibility = new Visibility({ ...deps, hide: deps.queue.hide });
    const deleteMessage = (receipt: string): Promise<void> =>
      this.#isLastOfCaller(receipt) ? Promise.resolve() : deps.queue.deleteMessage(receipt);
    this.#runner = new AttemptRunner({ ...deps, queue: { ...deps.queue, deleteMessage } }, this.#visibility);
    this.#groups = new Groups(deps, this.#runner);
  }

  /**
   * Runs `messages`, and further ones that it receives, until `deadlineMs` (ms since 1970). Resolves with those
   * that stay on the queue. The caller then deletes the others of `messages`, as Lambda does: each is deleted before when
   * its task is done, except one with which the process ends. Never rejects.
   */
  async serve(messages: readonly TaskMessage[], deadlineMs: number): Promise<readonly TaskMessage[]> {
    const { refill, time } = this.#deps;
    for (const { receipt } of messages) this.#receipts.add(receipt);
    // Random, so that workers that started together do not stop receiving at the same time.
    const refillMs = refill.maxMs * (1 - this.#deps.random() / 2);
    const refillUntil = Math.min(time.now() + refillMs, deadlineMs - MIN_TASK_TIME_MS);
    const heldMessages = await this.#visibility.hold(messages);
    // Messages that another process has received are not the caller's to delete.
    for (const message of messages) if (!heldMessages.includes(message)) this.#runner.leaveOnQueue(message);
    const deadline = () => deadlineMs;
    this.#groups.begin(heldMessages, deadline);
    const refilling = this.#refill(heldMessages.length < BUSY_BATCH_SIZE, refillUntil, deadline);
    await this.#groups.idle();
    await refilling;
    // The messages of the last receive.
    await this.#groups.idle();
    this.#visibility.end();
    return this.#runner.remainingMessages;
  }

  /** Whether the caller deletes this message in the next moment, because nothing else keeps the process: that saves a request. */
  #isLastOfCaller(receipt: string): boolean {
    return this.#receipts.has(receipt) && this.#visibility.size === 0 && !this.#isReceiving;
  }

  async #refill(isQuiet: boolean, untilMs: number, deadline: () => number): Promise<void> {
    const { refill, time } = this.#deps;
    if (isQuiet) await Promise.race([this.#groups.idle(), time.sleep(SHORT_TASK_MS)]);
    let empty = 0;
    while (this.#groups.size > 0 && time.now() < untilMs) {
      const room = refill.maxTasks - this.#visibility.size;
      if (room <= 0) await this.#groups.next();
      else {
        const received = await this.#receive(room);
        this.#groups.begin(received, deadline);
        empty = received.length === 0 ? empty + 1 : 0;
        if (empty > 0) await this.#pause(empty);
      }
    }
  }

  /**
   * Ends early when nothing is left to do. Meanwhile others receive: Lambda itself, and processes with more
   * tasks.
   */
  async #pause(empty: number): Promise<void> {
    const over = new AbortController();
    const { size } = this.#groups;
    const single = empty === 1 ? SINGLE_TASK_PAUSES_MS.first : SINGLE_TASK_PAUSES_MS.further;
    const ms = size > 1 ? Math.min(MAX_PAUSE_MS, empty * PAUSE_MS) / size : single;
    const late = this.#deps.time.sleep(ms, over.signal).catch(() => undefined);
    await Promise.race([this.#groups.idle(), late]);
    over.abort(NO_LONGER_NEEDED);
  }

  async #receive(room: number): Promise<readonly TaskMessage[]> {
    const { refill, time } = this.#deps;
    this.#isReceiving = true;
    try {
      const received = await refill.receive(room, this.#visibility.seconds());
      this.#visibility.adopt(received);
      return received;
    } catch {
      await time.sleep(RECEIVE_RETRY_DELAY_MS);
      return [];
    } finally {
      this.#isReceiving = false;
    }
  }
}
