import { Attempter } from './attempt.ts';
import { Groups, type GroupsDeps } from './groups.ts';
import type { TaskMessage } from './message.ts';
import { Visibility } from './visibility.ts';
import { RECEIVE_AGAIN_MS, type Refill } from './worker.ts';

export type ServiceDeps = GroupsDeps & {
  /** `receive` may wait long for the first message. */
  readonly refill: Pick<Refill, 'receive' | 'maxTasks'>;
  /** How long a task has (ms). */
  readonly taskMs: number;
  /** How long what is being done may go on once the process was told to stop (ms). */
  readonly drainMs: number;
  /** Told each time that the process is seen to work: it has received, or it is full. */
  readonly alive: () => void;
};

/** How often a process that is full says that it lives (ms). */
const ALIVE_INTERVAL_MS = 10_000;

/**
 * Serves messages of a FIFO queue in a process that lives on, as `TaskWorker` does in an invocation: groups side by side, each in order, what may
 * have killed a process left to another.
 */
export class TaskService {
  readonly #deps: ServiceDeps;
  readonly #visibility: Visibility;
  readonly #attempter: Attempter;
  readonly #groups: Groups;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#visibility = new Visibility({ ...deps, hide: deps.queue.hide });
    this.#attempter = new Attempter(deps, this.#visibility);
    this.#groups = new Groups(deps, this.#attempter);
  }

  /**
   * Serves messages until `stop` is aborted. Then it begins nothing more, gives what is being done `drainMs` to end, and hands the rest back: it is
   * visible at once, and counts neither as failed nor as crashed. Resolves with how many were broken off so; the caller ends the process then.
   * Never rejects.
   */
  async run(stop: AbortSignal): Promise<number> {
    const { time, drainMs } = this.#deps;
    const drained = Promise.withResolvers<void>();
    const end = (): void => {
      this.#groups.stop();
      void time.sleep(drainMs).then(drained.resolve);
    };
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
    const received = this.#receiveUntil(stop);
    await Promise.race([received.then(() => this.#groups.idle()), drained.promise]);
    // A receive is not ended early: SQS may have handed messages out by then, and would hand it what is handed back. What it brings goes back at once.
    await received;
    const interrupted = await this.#groups.interrupt();
    this.#visibility.end();
    return interrupted;
  }

  async #receiveUntil(stop: AbortSignal): Promise<void> {
    const { refill, taskMs, time, alive } = this.#deps;
    while (!stop.aborted) {
      const room = refill.maxTasks - this.#visibility.size;
      if (room > 0) {
        const messages = await this.#receive(room);
        this.#groups.begin(messages, () => time.now() + taskMs);
      } else {
        alive();
        await this.#roomOrTime();
      }
    }
  }

  async #receive(room: number): Promise<readonly TaskMessage[]> {
    const { refill, time, alive, log } = this.#deps;
    try {
      const received = await refill.receive(room, this.#visibility.seconds());
      this.#visibility.adopt(received);
      alive();
      return received;
    } catch (error) {
      log('task.not-received', { error: error instanceof Error ? error.name : 'unknown' });
      await time.sleep(RECEIVE_AGAIN_MS);
      return [];
    }
  }

  async #roomOrTime(): Promise<void> {
    const over = new AbortController();
    const late = this.#deps.time.sleep(ALIVE_INTERVAL_MS, over.signal).catch(() => undefined);
    await (this.#groups.size > 0 ? Promise.race([this.#groups.next(), late]) : late);
    over.abort();
  }
}
