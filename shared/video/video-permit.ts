import type { VideoContext } from './context.ts';
import type { Job } from './jobs/index.ts';
import type { CallOptions, RateLimitInfo } from '../upstream/index.ts';
import { RateLimitExceededError } from '../rate-limits/errors.ts';
import type { RequestPermit } from '../context/ports.ts';
import { permitHolder, waitForPermit } from '../chat/model/wait-for-permit.ts';
import { fairShareWeight } from '../chat/model/fair-share-weight.ts';

/** How long a job waits for its permit in line with its thread; longer waits are the sweeper's. */
const MAX_WAIT_MS = 10_000;

type VideoPermitContext = Pick<VideoContext, 'videoPermits' | 'time' | 'settings' | 'memberRoles'>;

/** The limits of handing a job in: a permit for each of its requests, and what the answers say of limits. */
export class VideoPermit {
  readonly #job: Job;
  readonly #context: VideoPermitContext;
  readonly #told: Promise<void>[] = [];
  #permit: RequestPermit | undefined;
  #sentMs: number | undefined;

  constructor(job: Job, context: VideoPermitContext) {
    this.#job = job;
    this.#context = context;
  }

  /** Takes the right to send a request, and waits until it may be used. Resolves with the ms after which to ask again if not. */
  async wait(): Promise<number | undefined> {
    const { videoPermits: permits, time, settings } = this.#context;
    const { thread, by } = this.#job;
    const ask = {
      ...permitHolder(thread, by.user),
      weight: await fairShareWeight(thread, by.user, this.#context),
    };
    const { signal } = new AbortController();
    const context = { permits, time, settings };
    try {
      this.#permit = await waitForPermit({ ask, signal, context, untilMs: time.now() + MAX_WAIT_MS });
    } catch (error) {
      if (error instanceof RateLimitExceededError) return error.retryAfterMs;
      throw error;
    }
    this.#sentMs = undefined;
    return undefined;
  }

  /** Gives the permit back: nothing is sent. */
  async release(): Promise<void> {
    if (this.#permit) await this.#context.videoPermits.release(this.#permit);
  }

  /** The key of the permit, by its name; undefined before the first permit. */
  get key(): string | undefined {
    return this.#permit?.key;
  }

  /** What the request is to be sent with. Rejects with RateLimitExceededError where it would have to be sent again, and there is no permit. */
  get options(): Pick<CallOptions, 'beforeAttempt' | 'onRateLimit'> {
    return {
      beforeAttempt: async () => {
        const again = this.#sentMs === undefined ? undefined : await this.wait();
        if (again !== undefined) throw new RateLimitExceededError(again);
        this.#sentMs = this.#context.time.now();
      },
      onRateLimit: (seen) => this.#heard(seen),
    };
  }

  /** Everything that the answers said has been passed on. Never rejects. */
  async end(): Promise<void> {
    await Promise.all(this.#told);
  }

  #heard(seen: RateLimitInfo): void {
    if (!this.#permit) return;
    const sentMs = this.#sentMs ?? this.#context.time.now();
    this.#told.push(this.#context.videoPermits.report(this.#permit, { ...seen, sentMs }));
  }
}
