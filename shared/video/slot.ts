import type { Job } from './jobs/index.ts';
import type { CallOptions, RateLimitInfo } from '../upstream/index.ts';
import { RateLimitExceeded } from '../rate-limits/errors.ts';
import type { WorkerContext, RequestPermit } from '../context/ports.ts';
import { permitHolder, waitForPermit } from '../chat/model/wait-for-permit.ts';
import { fairShareWeight } from '../chat/model/fair-share-weight.ts';

/** How long a job waits for its slot in line with its thread; longer waits are the sweeper's. */
const MAX_WAIT_MS = 10_000;

type SlotDeps = Pick<WorkerContext, 'mediaSlots' | 'time' | 'settings' | 'memberRoles'>;

/** The limits of handing a job in: a slot for each of its requests, and what the answers say of limits. */
export class VideoSlots {
  readonly #job: Job;
  readonly #deps: SlotDeps;
  readonly #told: Promise<void>[] = [];
  #slot: RequestPermit | undefined;
  #sentMs: number | undefined;

  constructor(job: Job, deps: SlotDeps) {
    this.#job = job;
    this.#deps = deps;
  }

  /** Takes the right to send a request, and waits until it may be used. Resolves with the ms after which to ask again if not. */
  async wait(): Promise<number | undefined> {
    const { mediaSlots, time, settings } = this.#deps;
    const { thread, by } = this.#job;
    const slots = mediaSlots?.video;
    if (!slots) return undefined;
    const ask = {
      ...permitHolder(thread, by.user),
      weight: await fairShareWeight(thread, by.user, this.#deps),
    };
    const { signal } = new AbortController();
    const deps = { slots, time, settings };
    try {
      this.#slot = await waitForPermit({ ask, signal, deps, untilMs: time.now() + MAX_WAIT_MS });
    } catch (error) {
      if (error instanceof RateLimitExceeded) return error.retryAfterMs;
      throw error;
    }
    this.#sentMs = undefined;
    return undefined;
  }

  /** Gives the slot back: nothing is sent. */
  async release(): Promise<void> {
    if (this.#slot) await this.#deps.mediaSlots?.video.release(this.#slot);
  }

  /** The key of the slot, by its name; undefined where no limits are kept. */
  get key(): string | undefined {
    return this.#slot?.key;
  }

  /** What the request is to be sent with. Rejects with RateLimitExceeded where it would have to be sent again, and there is no slot. */
  get options(): Pick<CallOptions, 'beforeAttempt' | 'onRateLimit'> {
    return {
      beforeAttempt: async () => {
        const again = this.#sentMs === undefined ? undefined : await this.wait();
        if (again !== undefined) throw new RateLimitExceeded(again);
        this.#sentMs = this.#deps.time.now();
      },
      onRateLimit: (seen) => this.#heard(seen),
    };
  }

  /** Everything that the answers said has been passed on. Never rejects. */
  async end(): Promise<void> {
    await Promise.all(this.#told);
  }

  #heard(seen: RateLimitInfo): void {
    const slots = this.#deps.mediaSlots?.video;
    if (!slots || !this.#slot) return;
    this.#told.push(slots.heard(this.#slot, { ...seen, sentMs: this.#sentMs ?? this.#deps.time.now() }));
  }
}
