import type { Time } from '../../shared/runtime/time.ts';
import { type Fault, JUMP_MS, type Kind, kindOf, repeatRequest, TABLE } from './fault-kinds.ts';
import type { Random } from './seeded-random.ts';
import { drainPromises } from './drain-promises.ts';
import { type Event, Timeline } from './timeline.ts';

/** The fault of the nth effect of a run, if any. */
export type FaultPlan = (index: number, name: string, kind: Kind) => Fault | undefined;

/** A point at which a fault could have occurred. */
export type FaultPoint = { readonly kind: Kind; readonly process: string; readonly at: number };

/** A late write takes effect after the next process is done, and before the next check. */
const LATE_MS = 100_000;
/** The maximum duration of a response before its caller times out. */
const SLOW_MS = 12_000;
const THROTTLED_MS = 20_000;

/** A run with so many requests does not end by itself: that of 200 people has 25,000. Its processes then die. */
export const MAX_REQUESTS = 100_000;

export class CallLostError extends Error {
  override readonly name = 'CallLostError';
}

/**
 * Processes of which only one runs at a time, in an order given by a seed. A process does nothing but awaited
 * effects: external requests and sleeps. Between two of them it may die; then it does nothing more, but a request
 * that it had sent may still take effect.
 */
export class FaultHarness {
  now: number;
  readonly #trace: { at: number; process: string; name: string; fault: Fault | undefined }[] = [];
  /** The points at which a fault could have occurred, in order. */
  readonly points: FaultPoint[] = [];
  #throttledUntil = 0;
  #order = 0;
  readonly #plan: FaultPlan;
  readonly #random: Random | undefined;
  #ready: Event[] = [];
  readonly #later = new Timeline();

  /** Without `random`, ready effects run in the order in which they became ready. */
  constructor(start: number, plan: FaultPlan, random?: Random) {
    this.now = start;
    this.#plan = plan;
    this.#random = random;
  }

  /** The trace, for the report of a failed run. */
  get trace(): string[] {
    return this.#trace.map(
      ({ at, process, name, fault }, index) =>
        `${String(at).slice(-7)} ${index} ${process} ${name}${fault ? ` !! ${fault}` : ''}`,
    );
  }

  /** Starts a process. */
  spawn(name: string): Process {
    return new Process(this, name);
  }

  at(time: number, run: () => void): void {
    const event = { at: time, order: this.#order++, run };
    if (time <= this.now) this.#ready.push(event);
    else this.#later.put(event);
  }

  /** Runs until no event is left, or until `end`. */
  async run(end: number): Promise<void> {
    for (;;) {
      await drainPromises();
      const event = this.#next(end);
      if (!event) return;
      event.run();
    }
  }

  /** Whether events are left. */
  get busy(): boolean {
    return this.#ready.length > 0 || this.#later.size > 0;
  }

  /** Makes a delivery: once, twice, or late. */
  deliver(name: string, lateMs: number, make: () => void, again: () => void = make): void {
    const fault = this.fault('the network', name, 'delivery');
    if (fault === 'late') return this.at(this.now + lateMs, make);
    make();
    if (fault === 'double') again();
  }

  get throttled(): boolean {
    return this.now < this.#throttledUntil;
  }

  throttle(): void {
    this.#throttledUntil = this.now + THROTTLED_MS;
  }

  /** The fault of the next point, if the plan has one. */
  fault(process: string, name: string, kind: Kind): Fault | undefined {
    const index = this.points.push({ kind, process, at: this.now }) - 1;
    const fault = this.#plan(index, name, kind);
    this.#trace.push({ at: this.now, process, name, fault });
    return fault;
  }

  #next(end: number): Event | undefined {
    if (this.#ready.length > 0) {
      const pick = this.#random ? Math.floor(this.#random() * this.#ready.length) : 0;
      return this.#ready.splice(pick, 1)[0];
    }
    const first = this.#later.take(end);
    if (first) this.now = first.at;
    return first;
  }
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** One process: an invocation of a front or a worker. */
export class Process {
  readonly #harness: FaultHarness;
  readonly #name: string;
  #dead = false;
  /** How far its clock is ahead (ms). */
  #ahead = 0;
  readonly #onDeath: (() => void)[] = [];

  constructor(harness: FaultHarness, name: string) {
    this.#harness = harness;
    this.#name = name;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Called when the process died, by a fault or at its timeout. */
  onDeath(run: () => void): void {
    this.#onDeath.push(run);
  }

  die(): void {
    if (this.#dead) return;
    this.#dead = true;
    for (const run of this.#onDeath) run();
  }

  /** One request to something outside of the process: a point for faults. */
  effect<T>(name: string, call: () => Promise<T> | T): Promise<T> {
    if (this.#dead) return never();
    return new Promise<T>((resolve, reject) => {
      this.#harness.at(this.#harness.now, () => {
        if (!this.#dead) this.#happen(name, call, resolve, reject);
      });
    });
  }

  #happen<T>(
    name: string,
    call: () => Promise<T> | T,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): void {
    const harness = this.#harness;
    if (harness.points.length >= MAX_REQUESTS) return this.die();
    const isTable = TABLE.test(name);
    const fault = harness.fault(this.#name, name, kindOf(name));
    if (fault === 'die-before') return this.die();
    if (fault === 'throttled') harness.throttle();
    if (fault === 'error' || (isTable && harness.throttled))
      return reject(new CallLostError(`${name} failed`));
    if (fault === 'clock-forward') this.#ahead += JUMP_MS;
    if (fault === 'clock-back') this.#ahead -= JUMP_MS;
    const callOnce = async (): Promise<T> => call();
    if (fault === 'die-late') {
      harness.at(harness.now + LATE_MS, () => void callOnce().catch(() => undefined));
      return this.die();
    }
    const result = fault === 'retried' ? repeatRequest(callOnce) : callOnce();
    if (fault === 'die-after') {
      result.catch(() => undefined);
      return this.die();
    }
    if (fault === 'reply-lost') {
      result.then(() => reject(new CallLostError(`the reply of ${name} was lost`)), reject);
      return;
    }
    if (fault !== 'slow') return void result.then(resolve, reject);
    const later = (end: () => void): void =>
      harness.at(harness.now + SLOW_MS, () => {
        if (!this.#dead) end();
      });
    result.then(
      (value) => later(() => resolve(value)),
      (error: unknown) => later(() => reject(error)),
    );
  }

  get time(): Time {
    return {
      now: () => this.#harness.now + this.#ahead,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.#dead) return never();
    return new Promise<void>((resolve, reject) => {
      const abort = (): void => reject(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.#harness.at(this.#harness.now + ms, () => {
        signal?.removeEventListener('abort', abort);
        if (!this.#dead) resolve();
      });
    });
  }
}
