import { Attempter } from './attempt.ts';
import { Groups, type GroupsDeps, WORTH_BEGINNING_MS } from './groups.ts';
import type { TaskMessage } from './message.ts';
import { NOT_NEEDED, Visibility } from './visibility.ts';

export type WorkerDeps = GroupsDeps & { readonly refill: Refill };

/** How a process that works receives more. */
export type Refill = {
  /** Receives up to `max` messages, hidden for `hiddenSeconds`; waits for the first for two seconds. Cannot be ended early. */
  readonly receive: (max: number, hiddenSeconds: number) => Promise<readonly TaskMessage[]>;
  /** How many messages a process has at most. */
  readonly maxTasks: number;
  /** For how long after its beginning a process receives more at most (ms), and for half of that at least. */
  readonly forMs: number;
};

/** What takes less time than this is over before a receive is: nothing more is received meanwhile, for which the process would have to stay. */
const SHORT_TASK_MS = 300;
/** So many messages at once are a sign of more. */
const BUSY_FROM = 5;
/**
 * After a receive that brought nothing a process with one task receives none for so long, for twice as long after the second in a row, and so on; one
 * with more tasks for that part of it: it is the one that goes on. A receive costs as much as a tenth of a second of waiting, and holds up the end.
 */
const PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 8_000;
/** After a receive that failed. */
export const RECEIVE_AGAIN_MS = 1_000;

/**
 * Serves messages of a FIFO queue in one process: groups side by side, each group in order. While it works it receives more, so that the
 * time for which one answer waits for the models is shared by as many as come. It never waits for messages alone. What fails stays on the
 * queue, and so does what is behind it in its group.
 *
 * A message that may have killed a process before, or is too large for this one, is left to a process of its own. So what one task does to its
 * process harms another task once at most, and a task that killed three processes is given up.
 */
export class TaskWorker {
  readonly #deps: WorkerDeps;
  readonly #visibility: Visibility;
  readonly #attempter: Attempter;
  readonly #groups: Groups;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#visibility = new Visibility({ ...deps, hide: deps.queue.hide });
    this.#attempter = new Attempter(deps, this.#visibility);
    this.#groups = new Groups(deps, this.#attempter);
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
    const deadline = () => deadlineMs;
    this.#groups.begin(held, deadline);
    const refilling = this.#refill(held.length < BUSY_FROM, refillUntil, deadline);
    await this.#groups.idle();
    await refilling;
    // What the last receive brought.
    await this.#groups.idle();
    this.#visibility.end();
    return this.#attempter.left;
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

  /** Ends early where nothing is left to do. Others receive meanwhile: Lambda itself, and whoever has more tasks. */
  async #pause(empty: number): Promise<void> {
    const over = new AbortController();
    const ms = Math.min(MAX_PAUSE_MS, empty * PAUSE_MS) / Math.max(1, this.#groups.size);
    const late = this.#deps.time.sleep(ms, over.signal).catch(() => undefined);
    await Promise.race([this.#groups.idle(), late]);
    over.abort(NOT_NEEDED);
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
