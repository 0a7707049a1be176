import { type AttemptDeps, Attempter } from './attempt.ts';
import { isExhausted } from './attempts.ts';
import type { TaskMessage } from './message.ts';
import { isSuspect, type Task, withAttempts } from './task.ts';
import { Visibility } from './visibility.ts';

export type WorkerDeps = AttemptDeps & {
  /** Has a message that may have killed a process done by a process of its own, which goes on hiding it. */
  readonly isolate: (message: TaskMessage) => Promise<void>;
  readonly refill: Refill;
};

/** How a process that works receives more. */
export type Refill = {
  /** Receives up to `max` messages, hidden for `hiddenSeconds`; waits for the first for two seconds. Cannot be ended early. */
  readonly receive: (max: number, hiddenSeconds: number) => Promise<readonly TaskMessage[]>;
  /** How many messages a process has at most. */
  readonly maxTasks: number;
  /** For how long after its beginning a process receives more at most (ms), and for half of that at least. */
  readonly forMs: number;
};

/** What is behind another message of its group is not begun with less time left than this: it would have to break off. */
const WORTH_BEGINNING_MS = 200_000;
/** After a receive that failed. */
const RECEIVE_AGAIN_MS = 1_000;

/**
 * Serves messages of a FIFO queue in one process: groups side by side, each group in order. While it works it receives more, so that the
 * time for which one answer waits for the models is shared by as many as come. It never waits for messages alone. What fails stays on the
 * queue, and so does what is behind it in its group.
 *
 * A message that may have killed a process before is left to a process of its own. So what one task does to its process harms
 * another task once at most, and a task that killed three processes is given up.
 */
export class TaskWorker {
  readonly #deps: WorkerDeps;
  readonly #visibility: Visibility;
  readonly #attempter: Attempter;
  readonly #groups = new Set<Promise<void>>();

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#visibility = new Visibility({ ...deps, hide: deps.queue.hide });
    this.#attempter = new Attempter(deps, this.#visibility);
  }

  /**
   * Serves `messages`, and those that it receives meanwhile, until `deadlineMs` (ms since 1970). Resolves with those that stay on the
   * queue; the others are deleted. Never rejects.
   */
  async serve(messages: readonly TaskMessage[], deadlineMs: number): Promise<readonly TaskMessage[]> {
    const { refill, time } = this.#deps;
    // Workers that began together do not stop together: for a moment nobody would receive.
    const refillMs = refill.forMs * (1 - this.#deps.random() / 2);
    const refillUntil = Math.min(time.now() + refillMs, deadlineMs - WORTH_BEGINNING_MS);
    const held = await this.#visibility.hold(messages);
    // What another process has by now is not the caller's to delete.
    for (const message of messages) if (!held.includes(message)) this.#attempter.letGo(message);
    this.#begin(held, deadlineMs);
    const refilling = this.#refill(refillUntil, deadlineMs);
    while (this.#groups.size > 0) await Promise.race(this.#groups);
    await refilling;
    // What the last receive brought.
    while (this.#groups.size > 0) await Promise.race(this.#groups);
    this.#visibility.end();
    return this.#attempter.left;
  }

  #begin(messages: readonly TaskMessage[], deadlineMs: number): void {
    for (const group of Map.groupBy(messages, (message) => message.group).values()) {
      const served = this.#serveGroup(group, deadlineMs).finally(() => this.#groups.delete(served));
      this.#groups.add(served);
    }
  }

  async #serveGroup(messages: readonly TaskMessage[], deadlineMs: number): Promise<void> {
    const group = await withAttempts(messages, this.#deps.attempts);
    for (const [at, task] of group.entries()) {
      const late = at > 0 && deadlineMs - this.#deps.time.now() < WORTH_BEGINNING_MS;
      if (late) return this.#attempter.handBack(group.slice(at));
      if (!(await this.#serveTask(task, deadlineMs))) return this.#attempter.handBack(group.slice(at + 1));
    }
  }

  /** Resolves with whether the next of its group may begin. */
  async #serveTask(task: Task, deadlineMs: number): Promise<boolean> {
    if (isExhausted(task.attempts)) return this.#attempter.giveUp(task);
    if (!isSuspect(task)) return this.#attempter.attempt(task, deadlineMs, false);
    await this.#isolate(task);
    return false;
  }

  async #isolate(task: Task): Promise<void> {
    try {
      await this.#deps.isolate(task.message);
      this.#attempter.letGo(task.message);
    } catch {
      await this.#attempter.handBack([task]);
    }
  }

  async #refill(untilMs: number, deadlineMs: number): Promise<void> {
    const { refill, time } = this.#deps;
    while (this.#groups.size > 0 && time.now() < untilMs) {
      const room = refill.maxTasks - this.#visibility.size;
      if (room <= 0) await Promise.race(this.#groups);
      else this.#begin(await this.#receive(room), deadlineMs);
    }
  }

  async #receive(room: number): Promise<readonly TaskMessage[]> {
    const { refill, time } = this.#deps;
    try {
      const received = await refill.receive(room, this.#visibility.seconds());
      this.#visibility.adopt(received);
      return received;
    } catch {
      await time.sleep(RECEIVE_AGAIN_MS);
      return [];
    }
  }
}
