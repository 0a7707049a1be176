import { checkQueueIds } from '../fakes/queue-ids.ts';
import type { QueueDelivery, TaskResult } from '../../shared/domain/index.ts';
import type { Queue } from '../../shared/aws/sqs-queue.ts';
import { ACTOR } from './access-checker.ts';
import type { Actor } from './access-model.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** Runs and gives up the tasks of a queue. */
export type Serving = {
  readonly serve: (body: string, delivery: QueueDelivery) => Promise<TaskResult>;
  readonly giveUp: (body: string) => Promise<unknown>;
};

type Waiting = {
  readonly body: string;
  readonly group: string;
  readonly dedup: string;
  readonly sentAt: number;
  /** The actor that caused a task, independent of what the task says. */
  readonly actor: Actor | undefined;
  visibleAt: number;
  receives: number;
};

const DEDUP_MS = 5 * 60_000;
const MAX_RECEIVES = 5;
const DELIVERY_MS = 10 * 60_000;

/** A FIFO queue in memory: each group in order, groups concurrently. */
export class TaskQueue implements Queue {
  readonly #time: SimulatedTime;
  readonly #causeOf: (body: string) => Actor | undefined;
  readonly #waiting: Waiting[] = [];
  readonly #sent = new Map<string, number>();
  readonly #busy = new Set<string>();

  /** `causeOf` names who causes a task, if it is not who sends it. */
  constructor(time: SimulatedTime, causeOf: (body: string) => Actor | undefined = () => undefined) {
    this.#time = time;
    this.#causeOf = causeOf;
  }

  async send(body: string, group: string, dedup: string): Promise<void> {
    checkQueueIds(group, dedup);
    const now = this.#time.now();
    const key = `${group} ${dedup}`;
    if ((this.#sent.get(key) ?? -Infinity) + DEDUP_MS > now) return;
    this.#sent.set(key, now);
    this.#waiting.push({
      body,
      group,
      dedup,
      sentAt: now,
      actor: this.#causeOf(body) ?? ACTOR.getStore(),
      visibleAt: now,
      receives: 0,
    });
  }

  /** Works until nothing is left, with `width` groups at once. */
  async drain(serving: Serving, width: number): Promise<void> {
    await Promise.all(Array.from({ length: width }, () => this.#worker(serving)));
  }

  /** Whether nothing is left. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  async #worker(serving: Serving): Promise<void> {
    for (;;) {
      const task = this.#next();
      if (task) {
        await this.#serve(task, serving);
        continue;
      }
      const soonest = this.#waiting.reduce((least, { visibleAt }) => Math.min(least, visibleAt), Infinity);
      if (soonest === Infinity) return;
      await this.#time.sleep(Math.max(soonest - this.#time.now(), 1_000));
    }
  }

  #next(): Waiting | undefined {
    const now = this.#time.now();
    const groupIds = new Set<string>();
    for (const task of this.#waiting) {
      const isFirst = !groupIds.has(task.group);
      groupIds.add(task.group);
      if (!isFirst || this.#busy.has(task.group) || task.visibleAt > now) continue;
      return task;
    }
    return undefined;
  }

  async #serve(task: Waiting, serving: Serving): Promise<void> {
    this.#busy.add(task.group);
    task.receives += 1;
    try {
      const afterMs = await this.#run(task, serving);
      if (afterMs === undefined) this.#waiting.splice(this.#waiting.indexOf(task), 1);
      else task.visibleAt = this.#time.now() + afterMs;
    } finally {
      this.#busy.delete(task.group);
    }
  }

  /** The delay of a retry, or undefined if the task is done. */
  async #run({ body, actor, receives }: Waiting, { serve, giveUp }: Serving): Promise<number | undefined> {
    const run = <T>(act: () => Promise<T>): Promise<T> => (actor ? ACTOR.run(actor, act) : act());
    const last = receives >= MAX_RECEIVES;
    const delivery = { deadline: this.#time.now() + DELIVERY_MS, isRedelivery: receives > 1, isLast: last };
    try {
      const verdict = await run(() => serve(body, delivery));
      if (verdict.kind === 'done') return undefined;
      if (verdict.kind === 'too-large') throw new Error('nothing is moved here');
      if (!last) return Math.max(verdict.afterMs, 1);
    } catch (error) {
      this.failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      if (!last) return 5_000;
    }
    await run(() => giveUp(body)).catch(() => undefined);
    return undefined;
  }

  /** The errors of rejected tasks, for the caller. */
  readonly failures: string[] = [];
}
