import { type Fault, type Kind, repeatRequest } from './fault-kinds.ts';
import type { FaultPlan, FaultPoint } from './harness.ts';

/** The process is dead: it does nothing more. */
export class ProcessKilledError extends Error {
  override readonly name = 'ProcessKilledError';
}

/** A request failed, or its response was lost. */
export class CallFailedError extends Error {
  override readonly name = 'CallFailedError';
}

/** Sequential processes: each external request is a point of a plan. For stories with simulators of their own. */
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

  /** Runs this as a process. Resolves with its result; undefined if it died or an external request failed it. */
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

  /** One external request. */
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
    const result = await (fault === 'retried' ? repeatRequest(run) : run());
    if (fault === 'die-after') die();
    if (fault === 'reply-lost') throw new CallFailedError(`the reply of ${name} was lost`);
    return result;
  }

  /** The fault of the next point, if the plan has one. */
  fault(name: string, kind: Kind): Fault | undefined {
    const index = this.points.push({ kind, process: this.#process.name, at: this.#now() }) - 1;
    const fault = this.#plan(index, name, kind);
    this.trace.push(`${this.#now()} ${index} ${this.#process.name} ${name}${fault ? ` !! ${fault}` : ''}`);
    return fault;
  }

  /** The same port with each method as an external request. `describeValue` describes the arguments of a method. */
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
