import type { VideoContext } from './context.ts';
import type { Job } from './jobs/index.ts';
import type { RequestPermit } from '../storage/index.ts';
import { toHolder, waitForPermit, readFairShareWeight } from '../chat/index.ts';
import type { CallOptions, RateLimitInfo } from '../upstream/index.ts';
import { RateLimitExceededError } from '../rate-limits/index.ts';

/** Longest wait for a permit inside a task; longer waits are left to the sweeper. */
const MAX_WAIT_MS = 10_000;

type VideoPermitContext = Pick<VideoContext, 'videoPermits' | 'time' | 'settings' | 'memberRoles'>;

/** The rate limit of a submission: a permit for each request, and reports of the limits in responses. */
export class VideoPermit {
  readonly #job: Job;
  readonly #context: VideoPermitContext;
  readonly #reports: Promise<void>[] = [];
  #permit: RequestPermit | undefined;
  #sentMs: number | undefined;
  #attempts = 0;
  #refusals = 0;

  constructor(job: Job, context: VideoPermitContext) {
    this.#job = job;
    this.#context = context;
  }

  /** Waits for a permit. Returns the retry delay (ms) if there is none in time. */
  async wait(): Promise<number | undefined> {
    const { videoPermits: permits, time, settings } = this.#context;
    const { thread, by } = this.#job;
    const request = {
      ...toHolder(thread, by.user),
      weight: await readFairShareWeight(thread, by.user, this.#context),
    };
    const { signal } = new AbortController();
    const context = { permits, time, settings };
    try {
      this.#permit = await waitForPermit({
        permitRequest: request,
        signal,
        context,
        deadlineMs: time.now() + MAX_WAIT_MS,
      });
    } catch (error) {
      if (error instanceof RateLimitExceededError) return error.retryAfterMs;
      throw error;
    }
    this.#sentMs = undefined;
    return undefined;
  }

  /** Releases the unused permit. */
  async release(): Promise<void> {
    if (this.#permit) await this.#context.videoPermits.release(this.#permit);
  }

  /** The name of the permit's API key; undefined before the first permit. */
  get key(): string | undefined {
    return this.#permit?.key;
  }

  /** The options of the request. A retry without a permit rejects with RateLimitExceededError. */
  get options(): Pick<CallOptions, 'beforeAttempt' | 'onRateLimit'> {
    return {
      beforeAttempt: async () => {
        const retryAfterMs = this.#sentMs === undefined ? undefined : await this.wait();
        if (retryAfterMs !== undefined) throw new RateLimitExceededError(retryAfterMs);
        this.#sentMs = this.#context.time.now();
        this.#attempts += 1;
      },
      onRateLimit: (info) => {
        if (info.status === 429) this.#refusals += 1;
        this.#report(info);
      },
    };
  }

  /** Whether the service answered every request with 429, so that it has no job. */
  get wasOnlyRateLimited(): boolean {
    return this.#refusals === this.#attempts;
  }

  /** Waits until all limits are reported. Never rejects. */
  async end(): Promise<void> {
    await Promise.all(this.#reports);
  }

  #report(info: RateLimitInfo): void {
    if (!this.#permit) return;
    const sentMs = this.#sentMs ?? this.#context.time.now();
    this.#reports.push(this.#context.videoPermits.report(this.#permit, { ...info, sentMs }));
  }
}
