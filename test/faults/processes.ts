import { AsyncLocalStorage } from 'node:async_hooks';
import type { Time } from '../../shared/runtime/time.ts';
import type { SimulatedTime } from '../isolation/simulated-time.ts';
import { type Fault, JUMP_MS, type Kind, kindOf, repeatRequest, TABLE } from './fault-kinds.ts';
import type { FaultPlan, FaultPoint } from './harness.ts';
import type { Random } from './seeded-random.ts';
import { CallFailedError } from './steps.ts';

const LATE_MS = 100_000;
const SLOW_MS = 12_000;
const THROTTLED_MS = 20_000;
/** In random schedules, one request in so many waits up to this time (ms) before it is sent, so that others overtake it. */
const WAITS_ONE_IN = 8;
const MAX_WAIT_MS = 50;

type Mine = {
  readonly name: string;
  isAlive: boolean;
  /** How far its clock is ahead (ms). */
  aheadMs: number;
  readonly died: Promise<undefined>;
  readonly die: () => void;
};

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** Concurrent processes: each external request is a point of a plan. A dead process does nothing more. */
export class Processes {
  readonly points: FaultPoint[] = [];
  readonly trace: string[] = [];
  /** The clock of the process that reads it. Outside of processes it is never ahead. */
  readonly clock: Time = {
    now: () => this.#time.now() + (this.#running.getStore()?.aheadMs ?? 0),
    sleep: (ms, signal) => this.#time.sleep(ms, signal),
  };
  readonly #running = new AsyncLocalStorage<Mine>();
  readonly #plan: FaultPlan;
  readonly #time: SimulatedTime;
  readonly #order: Random | undefined;
  #count = 0;
  #throttledUntil = 0;

  /** Without `order`, every request is sent at once. */
  constructor(plan: FaultPlan, time: SimulatedTime, order?: Random) {
    this.#plan = plan;
    this.#time = time;
    this.#order = order;
  }

  /** Runs this as a process. Resolves with its result; undefined if it died or rejected. */
  async run<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    const death = Promise.withResolvers<undefined>();
    const mine: Mine = {
      name: `${what} ${(this.#count += 1)}`,
      isAlive: true,
      aheadMs: 0,
      died: death.promise,
      die: () => {
        mine.isAlive = false;
        death.resolve(undefined);
      },
    };
    return this.#running.run(mine, () => Promise.race([work().catch(() => undefined), mine.died]));
  }

  /** One external request. A request without a process is sent unchanged. */
  async call<T>(name: string, make: () => T | Promise<T>): Promise<T> {
    const mine = this.#running.getStore();
    if (!mine) return make();
    if (this.#order) await this.#waitInRandomOrder(this.#order);
    if (!mine.isAlive) return never();
    const kind = kindOf(name);
    const fault = this.fault(name, kind, mine.name);
    if (fault === 'clock-forward') mine.aheadMs += JUMP_MS;
    if (fault === 'clock-back') mine.aheadMs -= JUMP_MS;
    if (fault === 'throttled') this.#throttledUntil = this.#time.now() + THROTTLED_MS;
    if (fault === 'error' || (TABLE.test(name) && this.#time.now() < this.#throttledUntil))
      throw new CallFailedError(`${name} failed`);
    if (fault === 'die-before' || fault === 'die-late') {
      if (fault === 'die-late')
        this.#time.at(
          this.#time.now() + LATE_MS,
          () =>
            void Promise.resolve()
              .then(make)
              .catch(() => undefined),
        );
      return this.#end(mine);
    }
    const result = await Promise.resolve()
      .then(fault === 'retried' ? () => repeatRequest(make) : make)
      .then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
    if (fault === 'die-after') return this.#end(mine);
    if (fault === 'reply-lost') throw new CallFailedError(`the reply of ${name} was lost`);
    if (fault === 'slow') await this.#time.sleep(SLOW_MS);
    if ('error' in result) throw result.error;
    return result.value;
  }

  /** The fault of the next point, if the plan has one. */
  fault(name: string, kind: Kind, process = 'the network'): Fault | undefined {
    const at = this.#time.now();
    const index = this.points.push({ kind, process, at }) - 1;
    const fault = this.#plan(index, name, kind);
    this.trace.push(`${String(at).slice(-7)} ${index} ${process} ${name}${fault ? ` !! ${fault}` : ''}`);
    return fault;
  }

  async #waitInRandomOrder(order: Random): Promise<void> {
    if (order() < 1 / WAITS_ONE_IN) await this.#time.sleep(1 + Math.floor(order() * MAX_WAIT_MS));
  }

  #end<T>(mine: Mine): Promise<T> {
    mine.die();
    return never<T>();
  }
}
