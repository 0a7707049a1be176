import type { QueueDelivery, TaskResult } from '../domain/index.ts';
import { traceId } from '../runtime/trace.ts';
import {
  type AttemptEnd,
  type AttemptsStore,
  isLastAttempt,
  mayHaveCrashed,
  type Patience,
} from './attempts.ts';
import type { TaskMessage } from './message.ts';
import type { Task } from './task.ts';
import type { Visibility, VisibilityDeps } from './visibility.ts';

/** Does one task. Rejects where it failed and is to be tried again. */
export type Serve = (body: string, delivery: QueueDelivery) => Promise<TaskResult>;

/** The queue, as far as whoever received from it needs it. */
export type QueuePort = Pick<VisibilityDeps, 'hide'> & {
  /** Deletes a message: its task is done. */
  readonly remove: (receipt: string) => Promise<void>;
  /** Puts a copy of a message on the queue of dead letters. Repeated, it makes no second copy for five minutes. */
  readonly bury: (message: TaskMessage) => Promise<void>;
};

/** Has a message done by a process that has no other, which goes on hiding it. */
export type Isolate = (message: TaskMessage) => Promise<void>;

export type AttemptDeps = Omit<VisibilityDeps, 'hide'> & {
  readonly serve: Serve;
  /** Before a task is given up: what dead processes that had it still have on its way is refused from now on. */
  readonly refuseLateWrites: (body: string) => Promise<void>;
  readonly queue: QueuePort;
  readonly attempts: AttemptsStore;
  readonly patience: Patience;
};

/** After something failed in an unknown state, the next attempt begins this much later. */
export const SOON_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** What a process does with the messages that it holds. Nothing here rejects. */
export class Attempter {
  /** `isolate` is absent where a message is done alone already. */
  readonly #deps: AttemptDeps & { readonly isolate?: Isolate };
  readonly #visibility: Visibility;
  readonly #left: TaskMessage[] = [];

  constructor(deps: AttemptDeps & { readonly isolate?: Isolate }, visibility: Visibility) {
    this.#deps = deps;
    this.#visibility = visibility;
  }

  /** Messages that stay on the queue. */
  get left(): readonly TaskMessage[] {
    return this.#left;
  }

  /** Resolves with whether the task is over. `alone`: it was noted that the attempt begins. */
  async attempt({ message, attempts }: Task, deadlineMs: number, alone: boolean): Promise<boolean> {
    const { serve, patience, time, log } = this.#deps;
    const last = isLastAttempt(message, attempts, patience, time.now());
    const outcome = await outcomeOf(() =>
      serve(message.body, {
        deadline: deadlineMs,
        again: message.receives > 1,
        afterCrash: mayHaveCrashed(message, attempts),
        last,
        trace: message.trace,
        receipt: message.receipt,
      }),
    );
    if (outcome.kind === 'done') return this.done(message);
    if (outcome.kind === 'too-large' && this.#deps.isolate) {
      await this.isolate({ message, attempts });
      return false;
    }
    const failed = outcome.kind !== 'later';
    if (failed) {
      const error = outcome.kind === 'failed' ? outcome.error : outcome.kind;
      const trace = traceId(message.trace);
      log('task.failed', { messageId: message.id, failures: attempts.failures + 1, error, trace });
    }
    if (last) return this.giveUp({ message, attempts });
    const backoffMs = Math.min(MAX_BACKOFF_MS, SOON_MS * 2 ** attempts.failures);
    const ended = failed ? 'failed' : outcome.turnInMs !== undefined ? undefined : 'waits';
    await this.#note(message, { ended, alone });
    await this.leave([[message, failed ? backoffMs : outcome.afterMs]]);
    return false;
  }

  /** Deletes the message, so that its group goes on at once. */
  async done(message: TaskMessage): Promise<true> {
    this.#visibility.release(message);
    // Where it fails the message comes again, and finds its task done.
    await this.#deps.queue.remove(message.receipt).catch(() => undefined);
    return true;
  }

  /** A task that cannot be done goes to the dead letters, and its group goes on. Resolves with whether it is there. */
  async giveUp({ message, attempts: { crashes, failures } }: Task): Promise<boolean> {
    const { log, queue, refuseLateWrites } = this.#deps;
    const { id: messageId, receives } = message;
    log('task.given-up', { messageId, crashes, failures, receives, trace: traceId(message.trace) });
    try {
      await refuseLateWrites(message.body);
      await queue.bury(message);
      return await this.done(message);
    } catch {
      await this.leave([[message, SOON_MS]]);
      return false;
    }
  }

  /** Has the message done by a process that has no other; hands it back where that cannot be told. */
  async isolate(task: Task): Promise<void> {
    try {
      await this.#deps.isolate?.(task.message);
      this.letGo(task.message);
    } catch {
      await this.handBack([task]);
    }
  }

  /** Hands back at once what was not begun. */
  async handBack(tasks: readonly Task[]): Promise<void> {
    await Promise.all(tasks.map(({ message }) => this.#note(message, { alone: false })));
    await this.leave(tasks.map(({ message }) => [message, 0]));
  }

  /** The messages stay on the queue, and are visible after so long. Where the queue does not hear of it, after 23 s at most. */
  async leave(messages: readonly (readonly [TaskMessage, number])[]): Promise<void> {
    for (const [message] of messages) this.letGo(message);
    if (messages.length === 0) return;
    const hidden = messages.map(([{ receipt }, ms]) => ({ receipt, seconds: Math.ceil(ms / 1000) }));
    await this.#deps.queue.hide(hidden).catch(() => undefined);
  }

  /** This process has no more to do with the message, which stays on the queue. */
  letGo(message: TaskMessage): void {
    this.#visibility.release(message);
    this.#left.push(message);
  }

  /** Not vital: without the note a message is taken for one that may have killed its process. */
  async #note(message: TaskMessage, end: AttemptEnd): Promise<void> {
    await this.#deps.attempts.handBack(message, end).catch(() => undefined);
  }
}

async function outcomeOf(serve: () => Promise<TaskResult>) {
  try {
    return await serve();
  } catch (error) {
    return { kind: 'failed', error: error instanceof Error ? error.name : 'unknown' } as const;
  }
}
