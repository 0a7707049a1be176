import type { QueueDelivery, TaskResult } from '../../shared/domain/index.ts';
import type { Queue } from '../../shared/aws/sqs-queue.ts';
import { checkQueueIds } from '../fakes/queue-ids.ts';
import type { SimulatedTime } from '../isolation/simulated-time.ts';
import type { Processes } from './processes.ts';

type Waiting = { readonly body: string; readonly group: string; visibleAt: number; receives: number };
type Serve = {
  readonly work: (body: string, delivery: QueueDelivery) => Promise<TaskResult>;
  readonly bury: (body: string) => Promise<TaskResult>;
};

const DEDUP_MS = 5 * 60_000;
const DELIVERY_MS = 10 * 60_000;
/** After this time the message of a dead worker is visible again. */
const HIDDEN_MS = 23_000;
const AGAIN_MS = 1_000;
const MAX_FAILURES = 8;

/** A FIFO queue whose messages are processed by one process each: groups concurrently, each in order. */
export class FaultyQueue implements Queue {
  readonly #time: SimulatedTime;
  readonly #processes: Processes;
  readonly #groups = new Map<string, Waiting[]>();
  readonly #busy = new Set<string>();
  readonly #sent = new Map<string, number>();
  #serve: Serve | undefined;
  /** The number of tasks that used up their deliveries. */
  deadLetters = 0;

  constructor(time: SimulatedTime, processes: Processes) {
    this.#time = time;
    this.#processes = processes;
  }

  send(body: string, group: string, dedup: string): Promise<void> {
    return this.#processes.call('send', () => {
      checkQueueIds(group, dedup);
      const now = this.#time.now();
      const key = `${group} ${dedup}`;
      if ((this.#sent.get(key) ?? -Infinity) + DEDUP_MS > now) return;
      this.#sent.set(key, now);
      const waiting = this.#groups.get(group) ?? [];
      waiting.push({ body, group, visibleAt: now, receives: 0 });
      this.#groups.set(group, waiting);
      this.#wake(group, now);
    });
  }

  serve(serve: Serve): void {
    this.#serve = serve;
  }

  get isEmpty(): boolean {
    return [...this.#groups.values()].every((waiting) => waiting.length === 0);
  }

  #wake(group: string, at: number): void {
    this.#time.at(at, () => void this.#next(group));
  }

  async #next(group: string): Promise<void> {
    const [first] = this.#groups.get(group) ?? [];
    if (!first || !this.#serve || this.#busy.has(group) || first.visibleAt > this.#time.now()) return;
    this.#busy.add(group);
    first.receives += 1;
    const { work, bury } = this.#serve;
    const isLast = first.receives > MAX_FAILURES;
    if (first.receives === MAX_FAILURES + 1) this.deadLetters += 1;
    const delivery = { deadline: this.#time.now() + DELIVERY_MS, isRedelivery: first.receives > 1, isLast };
    const verdict = await this.#processes.run('worker', () =>
      isLast ? bury(first.body) : work(first.body, delivery),
    );
    this.#busy.delete(group);
    if (verdict?.kind === 'done') this.#groups.get(group)?.shift();
    else
      first.visibleAt =
        this.#time.now() + (verdict?.kind === 'later' ? Math.max(AGAIN_MS, verdict.afterMs) : HIDDEN_MS);
    if (verdict?.kind === 'later') first.receives -= 1;
    this.#wake(group, Math.max(this.#time.now(), this.#groups.get(group)?.[0]?.visibleAt ?? 0));
  }
}
