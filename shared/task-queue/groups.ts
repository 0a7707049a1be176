import {
  type AttemptDeps,
  type AttemptRunner,
  type Isolate,
  isExhausted,
  isSuspect,
  type ReceivedTask,
  loadAttempts,
} from './attempt-runner.ts';
import type { TaskMessage } from './message.ts';

export type GroupsDeps = AttemptDeps & {
  /** For a message that may have crashed a process, or needs more memory than this process has. */
  readonly isolate: Isolate;
};

/** A further task of a group is not started with less time than this: it would be aborted. */
export const MIN_TASK_TIME_MS = 200_000;

/**
 * The message groups that a process works on: in parallel, each in order. A task that fails stays on the queue,
 * and so do the following ones of its group. No method rejects.
 */
export class Groups {
  readonly #deps: GroupsDeps;
  readonly #runner: AttemptRunner;
  readonly #active = new Set<Promise<void>>();
  /** Tasks that are neither done nor returned, by receipt handle: a message may be received again before its earlier attempt has ended. */
  readonly #open = new Map<string, ReceivedTask>();
  #isStopped = false;

  constructor(deps: GroupsDeps, runner: AttemptRunner) {
    this.#deps = deps;
    this.#runner = runner;
  }

  /** The number of active groups. */
  get size(): number {
    return this.#active.size;
  }

  /** Starts received messages. A task that still runs at `deadline` (ms since 1970) is aborted. */
  begin(messages: readonly TaskMessage[], deadline: () => number): void {
    for (const group of Map.groupBy(messages, (message) => message.group).values()) {
      const active = this.#serveGroup(group, deadline).finally(() => this.#active.delete(active));
      this.#active.add(active);
    }
  }

  /** Resolves when one of the groups is finished. */
  async next(): Promise<void> {
    if (this.#active.size > 0) await Promise.race(this.#active);
  }

  /** Resolves when all groups are finished, including those that start meanwhile. */
  async idle(): Promise<void> {
    while (this.#active.size > 0) await Promise.race(this.#active);
  }

  /** Starts no more tasks; those that were not started are returned when their turn comes. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Returns running tasks to the queue. The caller ends the process, so that they have no further effects. */
  async interrupt(): Promise<number> {
    const open = [...this.#open.values()];
    await this.#runner.handBack(open);
    return open.length;
  }

  async #serveGroup(messages: readonly TaskMessage[], deadline: () => number): Promise<void> {
    const group = await loadAttempts(messages, this.#deps.attempts);
    for (const { message, attempts } of group) this.#open.set(message.receipt, { message, attempts });
    for (const [at, task] of group.entries()) {
      const isLate = at > 0 && deadline() - this.#deps.time.now() < MIN_TASK_TIME_MS;
      if (isLate || this.#isStopped) return this.#handBack(group.slice(at));
      const isOver = await this.#serveTask(task, deadline());
      this.#open.delete(task.message.receipt);
      if (!isOver) return this.#handBack(group.slice(at + 1));
    }
  }

  /** Resolves with whether the next task of the group may start. */
  async #serveTask(task: ReceivedTask, deadlineMs: number): Promise<boolean> {
    const now = this.#deps.time.now();
    if (isExhausted(task.attempts, now)) return this.#runner.giveUp(task);
    if (!isSuspect(task, now)) return this.#runner.attempt(task, deadlineMs, false);
    await this.#runner.isolate(task);
    return false;
  }

  async #handBack(tasks: readonly ReceivedTask[]): Promise<void> {
    for (const { message } of tasks) this.#open.delete(message.receipt);
    await this.#runner.handBack(tasks);
  }
}
