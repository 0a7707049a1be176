import type { Fault, Kind } from './fault-kinds.ts';
import type { FaultPlan, FaultPoint } from './harness.ts';

/** The process is gone: nothing of it goes on. */
export class ProcessKilledError extends Error {
  override readonly name = 'ProcessKilledError';
}

/** A call failed, or its answer was lost. */
export class CallFailedError extends Error {
  override readonly name = 'CallFailedError';
}

/** Processes that run one after the other, each call of which is a point of a plan: for stories in worlds of their own. */
export class Steps {
  readonly points: FaultPoint[] = [];
  readonly trace: string[] = [];
  #process = { name: 'process 0', isAlive: true };
  #count = 0;
  readonly #plan: FaultPlan;
  readonly #now: () => number;

  constructor(plan: FaultPlan, now: () => number) {
    this.#plan = plan;
    this.#now = now;
  }

  /** Runs this as a process of its own. Resolves with what it came to; undefined where it died, or failed by a call that did. */
  async process<T>(work: () => Promise<T>): Promise<T | undefined> {
    const mine = { name: `process ${(this.#count += 1)}`, isAlive: true };
    this.#process = mine;
    const result = await work().catch((error: unknown) => {
      if (error instanceof ProcessKilledError || error instanceof CallFailedError || !mine.isAlive)
        return undefined;
      throw error;
    });
    return mine.isAlive ? result : undefined;
  }

  /** One call to something outside. */
  async call<T>(name: string, kind: Kind, run: () => T | Promise<T>): Promise<T> {
    const mine = this.#process;
    if (!mine.isAlive) throw new ProcessKilledError();
    const fault = this.fault(name, kind);
    const die = (): never => {
      mine.isAlive = false;
      throw new ProcessKilledError();
    };
    if (fault === 'die-before' || fault === 'die-late') die();
    if (fault === 'error' || fault === 'throttled') throw new CallFailedError(`${name} failed`);
    if (fault === 'retried') await run();
    const result = await run();
    if (fault === 'die-after') die();
    if (fault === 'reply-lost') throw new CallFailedError(`the reply of ${name} was lost`);
    return result;
  }

  /** The fault of the next point, if the plan has one for it. */
  fault(name: string, kind: Kind): Fault | undefined {
    const index = this.points.push({ kind, process: this.#process.name, at: this.#now() }) - 1;
    const fault = this.#plan(index, name, kind);
    this.trace.push(`${this.#now()} ${index} ${this.#process.name} ${name}${fault ? ` !! ${fault}` : ''}`);
    return fault;
  }

  /** The same port with each of its methods a call. `describeValue` says what a method of this name is. */
  wrap<T extends object>(port: T, kindOf: (name: string) => Kind): T {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]): Promise<unknown> =>
          this.call(String(name), kindOf(String(name)), async (): Promise<unknown> =>
            Reflect.apply(method, target, args),
          );
      },
    });
  }
}
