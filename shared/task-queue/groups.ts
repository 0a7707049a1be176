import type { AttemptDeps, Attempter, Isolate } from './attempt.ts';
import { isExhausted } from './attempts.ts';
import type { TaskMessage } from './message.ts';
import { isSuspect, type Task, withAttempts } from './task.ts';

export type GroupsDeps = AttemptDeps & {
  /** For a message that may have killed a process, and one that needs more memory than this process has to give. */
  readonly isolate: Isolate;
};

/** What is behind another message of its group is not begun with less time left than this: it would have to break off. */
export const WORTH_BEGINNING_MS = 200_000;

/**
 * The groups that a process works on, side by side, each in order. What fails stays on the queue, and so does what is behind it in its
 * group. Nothing here rejects.
 */
export class Groups {
  readonly #deps: GroupsDeps;
  readonly #attempter: Attempter;
  readonly #served = new Set<Promise<void>>();
  /** What is neither over nor handed back. */
  readonly #open = new Map<string, Task>();
  #stopped = false;

  constructor(deps: GroupsDeps, attempter: Attempter) {
    this.#deps = deps;
    this.#attempter = attempter;
  }

  /** How many groups are worked on. */
  get size(): number {
    return this.#served.size;
  }

  /** Begins messages that were just received. What is being done at `deadline` (ms since 1970) breaks off. */
  begin(messages: readonly TaskMessage[], deadline: () => number): void {
    for (const group of Map.groupBy(messages, (message) => message.group).values()) {
      const served = this.#serveGroup(group, deadline).finally(() => this.#served.delete(served));
      this.#served.add(served);
    }
  }

  /** Resolves when one of the groups is through. */
  async next(): Promise<void> {
    if (this.#served.size > 0) await Promise.race(this.#served);
  }

  /** Resolves when all groups are through, those included that begin meanwhile. */
  async idle(): Promise<void> {
    while (this.#served.size > 0) await Promise.race(this.#served);
  }

  /** Begins no task any more: what is not begun is handed back when its turn comes. */
  stop(): void {
    this.#stopped = true;
  }

  /** Hands back what is still being done. The caller ends the process, so that nothing more comes of it. */
  async interrupt(): Promise<number> {
    const open = [...this.#open.values()];
    await this.#attempter.handBack(open);
    return open.length;
  }

  async #serveGroup(messages: readonly TaskMessage[], deadline: () => number): Promise<void> {
    const group = await withAttempts(messages, this.#deps.attempts);
    for (const { message, attempts } of group) this.#open.set(message.id, { message, attempts });
    for (const [at, task] of group.entries()) {
      const late = at > 0 && deadline() - this.#deps.time.now() < WORTH_BEGINNING_MS;
      if (late || this.#stopped) return this.#handBack(group.slice(at));
      const isOver = await this.#serveTask(task, deadline());
      this.#open.delete(task.message.id);
      if (!isOver) return this.#handBack(group.slice(at + 1));
    }
  }

  /** Resolves with whether the next of its group may begin. */
  async #serveTask(task: Task, deadlineMs: number): Promise<boolean> {
    const now = this.#deps.time.now();
    if (isExhausted(task.attempts, now)) return this.#attempter.giveUp(task);
    if (!isSuspect(task, now)) return this.#attempter.attempt(task, deadlineMs, false);
    await this.#attempter.isolate(task);
    return false;
  }

  async #handBack(tasks: readonly Task[]): Promise<void> {
    for (const { message } of tasks) this.#open.delete(message.id);
    await this.#attempter.handBack(tasks);
  }
}
