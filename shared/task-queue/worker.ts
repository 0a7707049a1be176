import type { Delivery, Verdict } from '../flows/index.ts';
import {
  type AttemptEnd,
  type Attempts,
  type AttemptsStore,
  isExhausted,
  isLastAttempt,
  mayHaveCrashed,
  NO_ATTEMPTS,
  type Patience,
} from './attempts.ts';
import type { TaskMessage } from './message.ts';
import { Visibility, type VisibilityDeps } from './visibility.ts';

/** Does one task. Rejects where it failed and is to be tried again. */
export type Serve = (body: string, delivery: Delivery) => Promise<Verdict>;

/** The queue, as far as whoever received from it needs it. */
export type QueuePort = Pick<VisibilityDeps, 'hide'> & {
  /** Deletes a message: its task is done. */
  readonly remove: (receipt: string) => Promise<void>;
  /** Puts a copy of a message on the queue of dead letters. Repeated, it makes no second copy for five minutes. */
  readonly bury: (message: TaskMessage) => Promise<void>;
};

export type WorkerDeps = Omit<VisibilityDeps, 'hide'> & {
  readonly serve: Serve;
  readonly queue: QueuePort;
  readonly attempts: AttemptsStore;
  readonly patience: Patience;
};

/** What is not the first of its group is not begun with less time left than this: it would have to break off. */
const WORTH_BEGINNING_MS = 200_000;
/** After something failed in an unknown state, the next attempt begins this much later. */
const SOON_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** A message with what became of it before. */
type Task = { readonly message: TaskMessage; readonly attempts: Attempts };

/**
 * Serves messages of a FIFO queue in one process: groups side by side, each group in order. What fails stays on the queue, and so does what
 * is behind it in its group.
 *
 * A message that may have killed a process before is done alone: all others are handed back first. So what one task does to its
 * process harms no other task more than once, and a task that killed three processes is given up.
 */
export class TaskWorker {
  readonly #deps: WorkerDeps;
  readonly #visibility: Visibility;
  /** Messages that this process still answers for. */
  readonly #open = new Set<string>();
  readonly #left: TaskMessage[] = [];

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#visibility = new Visibility({ ...deps, hide: deps.queue.hide });
  }

  /**
   * Serves `messages` until `deadlineMs` (ms since 1970). Resolves with those that stay on the queue; the caller deletes the others, of which
   * some are deleted already. Never rejects.
   */
  async serve(messages: readonly TaskMessage[], deadlineMs: number): Promise<readonly TaskMessage[]> {
    for (const { id } of messages) this.#open.add(id);
    const [tasks] = await Promise.all([this.#withAttempts(messages), this.#visibility.hold(messages)]);
    const groups = [...Map.groupBy(tasks, ({ message }) => message.group).values()];
    const suspect = groups.find(([head]) => head && isSuspect(head))?.[0];
    if (suspect) await this.#serveAlone(suspect, tasks, deadlineMs);
    else await Promise.all(groups.map((group) => this.#serveGroup(group, deadlineMs)));
    this.#visibility.end();
    return this.#left;
  }

  async #withAttempts(messages: readonly TaskMessage[]): Promise<readonly Task[]> {
    const { attempts } = this.#deps;
    return Promise.all(
      messages.map(async (message) => {
        if (message.receives === 1) return { message, attempts: NO_ATTEMPTS };
        // Not readable: it counts as one that may have crashed, which is the safe side.
        return { message, attempts: await attempts.read(message.id).catch(() => NO_ATTEMPTS) };
      }),
    );
  }

  async #serveGroup(group: readonly Task[], deadlineMs: number): Promise<void> {
    for (const [at, task] of group.entries()) {
      const late = at > 0 && deadlineMs - this.#deps.time.now() < WORTH_BEGINNING_MS;
      if (late || isSuspect(task)) return this.#handBack(group.slice(at));
      const done = isExhausted(task.attempts)
        ? await this.#giveUp(task)
        : await this.#attempt(task, deadlineMs, false);
      if (!done) return this.#handBack(group.slice(at + 1));
    }
  }

  /** The others are with the queue again before it begins. */
  async #serveAlone(suspect: Task, tasks: readonly Task[], deadlineMs: number): Promise<void> {
    await this.#handBack(tasks.filter((task) => task !== suspect));
    const { message } = suspect;
    const begun = await this.#deps.attempts.begin(message.id).then(
      () => true,
      () => false,
    );
    // Uncounted it could kill one process after the other.
    if (begun) await this.#attempt(suspect, deadlineMs, true);
    else await this.#hideFor([[message, SOON_MS]]);
  }

  /** Resolves with whether the task is over. */
  async #attempt({ message, attempts }: Task, deadlineMs: number, alone: boolean): Promise<boolean> {
    const { serve, patience, time } = this.#deps;
    const last = isLastAttempt(message, attempts, patience, time.now());
    const outcome = await this.#outcome(() =>
      serve(message.body, { deadline: deadlineMs, again: message.receives > 1, last }),
    );
    if (outcome.kind === 'done') return this.#done(message);
    if (outcome.kind === 'failed') {
      this.#deps.log('task.failed', {
        messageId: message.id,
        failures: attempts.failures + 1,
        error: outcome.error,
      });
    }
    if (last) return this.#giveUp({ message, attempts });
    const backoffMs = Math.min(MAX_BACKOFF_MS, SOON_MS * 2 ** attempts.failures);
    const afterMs = outcome.kind === 'failed' ? backoffMs : outcome.afterMs;
    await this.#note(message, { ended: outcome.kind === 'failed' ? 'failed' : 'waits', alone });
    await this.#hideFor([[message, afterMs]]);
    return false;
  }

  async #outcome(serve: () => Promise<Verdict>) {
    try {
      return await serve();
    } catch (error) {
      return { kind: 'failed', error: error instanceof Error ? error.name : 'unknown' } as const;
    }
  }

  /** Its group goes on at once; without that, not before all of the batch is done. */
  async #done(message: TaskMessage): Promise<true> {
    this.#close(message);
    // Not vital: Lambda deletes what the function does not name as failed.
    if (this.#open.size > 0) await this.#deps.queue.remove(message.receipt).catch(() => undefined);
    return true;
  }

  /** A task that cannot be done goes to the dead letters, and its group goes on. */
  async #giveUp({ message, attempts }: Task): Promise<boolean> {
    const { crashes, failures } = attempts;
    this.#deps.log('task.given-up', { messageId: message.id, crashes, failures, receives: message.receives });
    try {
      await this.#deps.queue.bury(message);
      return await this.#done(message);
    } catch {
      await this.#hideFor([[message, SOON_MS]]);
      return false;
    }
  }

  /** Hands back what was not begun: at once, and what may have killed a process second by second, so that each comes alone. */
  async #handBack(tasks: readonly Task[]): Promise<void> {
    let suspects = 0;
    const afterMs = tasks.map((task): [TaskMessage, number] => {
      return [task.message, isSuspect(task) ? 1_000 * (suspects += 1) : 0];
    });
    await Promise.all(tasks.map(({ message }) => this.#note(message, { alone: false })));
    await this.#hideFor(afterMs);
  }

  /** Not vital: without the note a message is taken for one that may have killed its process. */
  async #note({ id }: TaskMessage, end: AttemptEnd): Promise<void> {
    await this.#deps.attempts.handBack(id, end).catch(() => undefined);
  }

  /** The messages stay on the queue, and are visible after so long. Where the queue does not hear of it, after 23 s at most. */
  async #hideFor(messages: readonly (readonly [TaskMessage, number])[]): Promise<void> {
    for (const [message] of messages) {
      this.#close(message);
      this.#left.push(message);
    }
    if (messages.length === 0) return;
    const hidden = messages.map(([{ receipt }, ms]) => ({ receipt, seconds: Math.ceil(ms / 1000) }));
    await this.#deps.queue.hide(hidden).catch(() => undefined);
  }

  #close(message: TaskMessage): void {
    this.#visibility.release(message);
    this.#open.delete(message.id);
  }
}

const isSuspect = ({ message, attempts }: Task): boolean =>
  mayHaveCrashed(message, attempts) && !isExhausted(attempts);
