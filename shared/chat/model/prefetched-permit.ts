import type { WorkerContext, RequestPermit, PermitRequest } from '../../context/ports.ts';

/** A slot is taken for the moment: one that was held for longer is given back, and another is taken in its place. */
const FRESH_MS = 500;

/** A slot that is taken while a question is claimed and its past is read, if one is free: see `KeyRateLimiter.takeFree`. */
export class PrefetchedPermit {
  readonly #deps: Pick<WorkerContext, 'slots' | 'time'>;
  readonly #begunAt: number;
  #taking: Promise<RequestPermit | undefined> | undefined;

  constructor(ask: Omit<PermitRequest, 'maxWaitMs'>, deps: Pick<WorkerContext, 'slots' | 'time'>) {
    this.#deps = deps;
    this.#begunAt = deps.time.now();
    this.#taking = deps.slots.takeFree(ask);
  }

  /** The slot, for one request that is sent now. Undefined if there was none, it is too old, or it was used. Never rejects. */
  async use(): Promise<RequestPermit | undefined> {
    const slot = await this.#taken();
    if (!slot || this.#deps.time.now() - this.#begunAt <= FRESH_MS) return slot;
    await this.#deps.slots.release(slot);
    return undefined;
  }

  /** Gives the slot back if it was not used. Never rejects. */
  async end(): Promise<void> {
    const slot = await this.#taken();
    if (slot) await this.#deps.slots.release(slot);
  }

  #taken(): Promise<RequestPermit | undefined> {
    const taking = this.#taking ?? Promise.resolve(undefined);
    this.#taking = undefined;
    return taking;
  }
}
