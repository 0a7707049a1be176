import type { Time } from '../../shared/runtime/time.ts';
import type { Random } from './random.ts';

/**
 * A world of processes in which only one thing happens at a time, chosen by a seed. A process does nothing but awaited
 * effects: calls to things outside it, and sleeps. Between two of them it may die, and then it does nothing more, except
 * that a call it had begun may still arrive.
 */
export type Fault =
  /** The process dies before the call is made. */
  | 'die-before'
  /** The call takes effect, and the process dies before it learns of it. */
  | 'die-after'
  /** The process dies, and its call takes effect much later. */
  | 'die-late'
  /** The call takes effect, and the process is told that it failed. */
  | 'reply-lost'
  /** The call fails without taking effect. */
  | 'error'
  /** Not of calls but of deliveries: it is made twice. */
  | 'double';

/** What may befall a call. */
export const CALL_FAULTS: readonly Fault[] = ['die-before', 'die-after', 'die-late', 'reply-lost', 'error'];

/** Which fault, if any, befalls the nth effect of a run. */
export type Plan = (index: number, name: string, kind: 'call' | 'delivery') => Fault | undefined;

/** A late write lands after its process's successor is done, and before anybody looks again. */
const LATE_MS = 100_000;

export class Lost extends Error {
  override readonly name = 'Lost';
}

type Event = { readonly at: number; readonly order: number; readonly run: () => void };

export class World {
  now: number;
  /** What happened, for the report of a run that failed. */
  readonly trace: string[] = [];
  /** The points at which a fault could have struck, in order: calls and deliveries. */
  readonly points: ('call' | 'delivery')[] = [];
  #order = 0;
  readonly #plan: Plan;
  readonly #random: Random | undefined;
  #ready: Event[] = [];
  #later: Event[] = [];

  /** Without `random`, what is ready happens in the order in which it became so. */
  constructor(start: number, plan: Plan, random?: Random) {
    this.now = start;
    this.#plan = plan;
    this.#random = random;
  }

  /** Starts a process. */
  spawn(name: string): Process {
    return new Process(this, name);
  }

  at(time: number, run: () => void): void {
    const event = { at: time, order: this.#order++, run };
    if (time <= this.now) this.#ready.push(event);
    else this.#later.push(event);
  }

  /** Runs until nothing is left to happen, or until `end`. */
  async run(end: number): Promise<void> {
    for (;;) {
      await settled();
      const event = this.#next(end);
      if (!event) return;
      event.run();
    }
  }

  /** Whether a delivery is made twice. */
  happens(name: string): boolean {
    return this.fault('the network', name, 'delivery') === 'double';
  }

  /** The fault of the next point, if the plan has one for it. */
  fault(process: string, name: string, kind: 'call' | 'delivery' = 'call'): Fault | undefined {
    const index = this.points.push(kind) - 1;
    const fault = this.#plan(index, name, kind);
    this.trace.push(
      `${String(this.now).slice(-7)} ${index} ${process} ${name}${fault ? ` !! ${fault}` : ''}`,
    );
    return fault;
  }

  #next(end: number): Event | undefined {
    if (this.#ready.length > 0) {
      const pick = this.#random ? Math.floor(this.#random() * this.#ready.length) : 0;
      return this.#ready.splice(pick, 1)[0];
    }
    const first = this.#later.reduce<Event | undefined>(
      (soonest, event) =>
        !soonest || event.at < soonest.at || (event.at === soonest.at && event.order < soonest.order)
          ? event
          : soonest,
      undefined,
    );
    if (!first || first.at > end) return undefined;
    this.#later.splice(this.#later.indexOf(first), 1);
    this.now = first.at;
    return first;
  }
}

/** Lets every promise that can go on do so. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** One process: a front's or a worker's invocation. */
export class Process {
  readonly #world: World;
  readonly #name: string;
  #dead = false;
  readonly #onDeath: (() => void)[] = [];

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Told when the process has died, by a fault or at its time limit. */
  onDeath(run: () => void): void {
    this.#onDeath.push(run);
  }

  die(): void {
    if (this.#dead) return;
    this.#dead = true;
    for (const run of this.#onDeath) run();
  }

  /** One call to something outside the process: a point at which everything may go wrong. */
  effect<T>(name: string, call: () => Promise<T> | T): Promise<T> {
    if (this.#dead) return never();
    return new Promise<T>((resolve, reject) => {
      this.#world.at(this.#world.now, () => {
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
    const fault = this.#world.fault(this.#name, name);
    if (fault === 'die-before') return this.die();
    if (fault === 'error') return reject(new Lost(`${name} failed`));
    if (fault === 'die-late') {
      this.#world.at(
        this.#world.now + LATE_MS,
        () =>
          void Promise.resolve()
            .then(call)
            .catch(() => undefined),
      );
      return this.die();
    }
    const result = Promise.resolve().then(call);
    if (fault === 'die-after') {
      result.catch(() => undefined);
      return this.die();
    }
    if (fault === 'reply-lost') {
      result.then(() => reject(new Lost(`the reply of ${name} was lost`)), reject);
      return;
    }
    result.then(resolve, reject);
  }

  get time(): Time {
    return {
      now: () => this.#world.now,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.#dead) return never();
    return new Promise<void>((resolve, reject) => {
      const abort = (): void => reject(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.#world.at(this.#world.now + ms, () => {
        signal?.removeEventListener('abort', abort);
        if (!this.#dead) resolve();
      });
    });
  }
}
