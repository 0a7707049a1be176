import type { ChatContext } from '../context.ts';
import type { RequestPermit, PermitRequest } from '../../storage/index.ts';

/** TTL of a prefetched permit; an older one is released and replaced. */
const PERMIT_TTL_MS = 500;

/** A free permit that is taken while the question is claimed and its history is read: see `KeyRateLimiter.takeFree`. */
export class PrefetchedPermit {
  readonly #context: Pick<ChatContext, 'permits' | 'time'>;
  readonly #requestedAt: number;
  #taking: Promise<RequestPermit | undefined> | undefined;

  constructor(ask: Omit<PermitRequest, 'maxWaitMs'>, context: Pick<ChatContext, 'permits' | 'time'>) {
    this.#context = context;
    this.#requestedAt = context.time.now();
    this.#taking = context.permits.takeFree(ask);
  }

  /** Returns the permit for an immediate request; undefined if there was none, or it is expired or used. Never rejects. */
  async use(): Promise<RequestPermit | undefined> {
    const permit = await this.#consume();
    if (!permit || this.#context.time.now() - this.#requestedAt <= PERMIT_TTL_MS) return permit;
    await this.#context.permits.release(permit);
    return undefined;
  }

  /** Releases an unused permit. Never rejects. */
  async end(): Promise<void> {
    const permit = await this.#consume();
    if (permit) await this.#context.permits.release(permit);
  }

  #consume(): Promise<RequestPermit | undefined> {
    const pending = this.#taking ?? Promise.resolve(undefined);
    this.#taking = undefined;
    return pending;
  }
}
