import { AttemptRunner } from './attempt-runner.ts';
import { Groups, type GroupsDeps } from './groups.ts';
import type { TaskMessage } from './message.ts';
import { Visibility } from './visibility.ts';
import { RECEIVE_RETRY_DELAY_MS, type Refill } from './task-worker.ts';
import { getErrorFacts } from '../utils/index.ts';

export type ServiceDeps = GroupsDeps & {
  /** `receive` may wait long for the first message. */
  readonly refill: Pick<Refill, 'receive' | 'maxTasks'>;
  /** The maximum duration of a task (ms). */
  readonly taskMs: number;
  /** How long running tasks may continue after the process was told to stop (ms). */
  readonly drainMs: number;
  /** Called when the process makes progress: it received messages, or it is full. */
  readonly alive: () => void;
};

/** How often a full process calls `alive` (ms). */
const ALIVE_INTERVAL_MS = 10_000;

/**
 * Runs tasks of a FIFO queue in a long-running process, as `TaskWorker` does in an invocation: groups in
 * parallel, each in order, with tasks that may crash in another process.
 */
export class TaskService {
  readonly #deps: ServiceDeps;
  readonly #visibility: Visibility;
  readonly #runner: AttemptRunner;
  readonly #groups: Groups;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#visibility = new Visibility({ ...deps, hide: deps.queue.hide });
    this.#runner = new AttemptRunner(deps, this.#visibility);
    this.#groups = new Groups(deps, this.#runner);
  }

  /**
   * Runs tasks until `stop` is aborted. Then it starts nothing more, gives running tasks `drainMs`, and returns
   * the rest: these are visible immediately and count neither as failed nor as crashed. Resolves with the
   * number of aborted tasks; the caller then ends the process. Never rejects.
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
    // A receive cannot be cancelled: SQS may have assigned messages to it, perhaps those that were just
    // returned. What it receives is returned immediately.
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
        await this.#waitForRoom();
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
      log('task.receive-failed', getErrorFacts(error));
      await time.sleep(RECEIVE_RETRY_DELAY_MS);
      return [];
    }
  }

  async #waitForRoom(): Promise<void> {
    const over = new AbortController();
    const late = this.#deps.time.sleep(ALIVE_INTERVAL_MS, over.signal).catch(() => undefined);
    await (this.#groups.size > 0 ? Promise.race([this.#groups.next(), late]) : late);
    over.abort();
  }
}
