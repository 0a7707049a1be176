import type { ChatContext } from '../context.ts';
import type { RequestPermit, PermitRequest } from '../../context/index.ts';

/** A permit is taken for the moment: one that was held for longer is given back, and another is taken in its place. */
const FRESH_MS = 500;

/** A permit that is taken while a question is claimed and its past is read, if one is free: see `KeyRateLimiter.takeFree`. */
export class PrefetchedPermit {
  readonly #context: Pick<ChatContext, 'permits' | 'time'>;
  readonly #begunAt: number;
  #taking: Promise<RequestPermit | undefined> | undefined;

  constructor(ask: Omit<PermitRequest, 'maxWaitMs'>, context: Pick<ChatContext, 'permits' | 'time'>) {
    this.#context = context;
    this.#begunAt = context.time.now();
    this.#taking = context.permits.takeFree(ask);
  }

  /** The permit, for one request that is sent now. Undefined if there was none, it is too old, or it was used. Never rejects. */
  async use(): Promise<RequestPermit | undefined> {
    const permit = await this.#taken();
    if (!permit || this.#context.time.now() - this.#begunAt <= FRESH_MS) return permit;
    await this.#context.permits.release(permit);
    return undefined;
  }

  /** Gives the permit back if it was not used. Never rejects. */
  async end(): Promise<void> {
    const permit = await this.#taken();
    if (permit) await this.#context.permits.release(permit);
  }

  #taken(): Promise<RequestPermit | undefined> {
    const taking = this.#taking ?? Promise.resolve(undefined);
    this.#taking = undefined;
    return taking;
  }
}
