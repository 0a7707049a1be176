import { chain } from '../limits/index.ts';
import { isHeld } from '../settings/index.ts';
import type { RateLimitSeen } from '../upstream/index.ts';
import type { EarlySlot } from './early-slot.ts';
import { ModelsFull } from './no-slot.ts';
import type { ChatOptions, Deps, Slot } from './ports.ts';
import { type SlotWait, told, waitForSlot } from './slot.ts';
import { THINKING } from './thinking.ts';

type RequestWait = SlotWait & {
  readonly deps: Pick<Deps, 'chat' | 'breakers'>;
  /** Taken beforehand, for the first request. */
  readonly early?: EarlySlot | undefined;
};

/** The limits of one completion: a slot for each of its requests, the models to ask, and what the answers say of both. */
export class LimitedRequest {
  readonly #wait: RequestWait;
  readonly #told: Promise<void>[] = [];
  readonly #full = new Set<string>();
  #slot: Slot | undefined;
  /** The upstream's client is waiting because an answer asked it to. */
  #waiting: AbortController | undefined;
  #sentMs = 0;
  #answeredBy: string | undefined;

  constructor(wait: RequestWait) {
    this.#wait = wait;
  }

  /** What the chat port is to be called with. */
  get options(): Pick<ChatOptions, 'beforeAttempt' | 'slot' | 'onRateLimit'> {
    return {
      beforeAttempt: async () => {
        if (this.#waited()) this.#wait.thinking?.say(THINKING);
        this.#slot = (await this.#wait.early?.use()) ?? (await waitForSlot(this.#wait));
        this.#sentMs = this.#wait.deps.time.now();
      },
      slot: () => this.#slot,
      onRateLimit: (seen) => this.#heard(seen),
    };
  }

  /** Whether a request may have left. */
  get sent(): boolean {
    return this.#sentMs > 0;
  }

  /**
   * The model to ask and those that stand in for it, without those that are known to be full. Throws ModelsFull when all
   * are; in the last delivery they are asked all the same.
   */
  async models(model: string | undefined): Promise<Pick<ChatOptions, 'model' | 'standIns'>> {
    const { deps, delivery } = this.#wait;
    const { chat, breakers, settings } = deps;
    // What is held is held for each question too.
    const wanted = isHeld('model', settings.layers) ? chat.model : (model ?? chat.model);
    if (wanted === undefined || !breakers) return { model: wanted };
    const all = [...new Set([wanted, ...settings.standIns])];
    const full = await breakers.full(all);
    if (full.size === all.length && !delivery.last) throw new ModelsFull();
    const [first, ...standIns] = chain(all, full);
    if (first !== wanted) this.#full.add(wanted);
    return { model: first, standIns };
  }

  /** The model that answered in place of the one that was wanted, if one did. */
  standIn(wanted: string | undefined): string | undefined {
    const by = this.#answeredBy;
    return by !== undefined && wanted !== undefined && by !== wanted && this.#full.has(wanted)
      ? by
      : undefined;
  }

  /** What this request comes to, once everything that its answers said has been passed on. */
  async during<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      await this.end();
    }
  }

  /** Everything that the answers said has been passed on. Never rejects. */
  async end(): Promise<void> {
    this.#waited();
    await Promise.all(this.#told);
  }

  /** Whoever waits for a limit, or for a model that is full, is told for how long, unless another model is asked. */
  #waitsFor(ms: number): void {
    const { thinking, signal, deps } = this.#wait;
    if (!thinking || deps.settings.standIns.length > 0) return;
    this.#waited();
    const over = new AbortController();
    this.#waiting = over;
    told(ms, undefined, { thinking, deps, signal: AbortSignal.any([signal, over.signal]) }).catch(
      () => undefined,
    );
  }

  /** Whether there was a wait, which is over now. */
  #waited(): boolean {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.abort(new Error('the wait is over'));
    return waiting !== undefined;
  }

  #heard(seen: RateLimitSeen): void {
    const { slots, breakers } = this.#wait.deps;
    if (this.#slot) this.#told.push(slots.heard(this.#slot, { ...seen, sentMs: this.#sentMs }));
    const { model, code, status, retryAfterMs } = seen;
    if (status === 429 && retryAfterMs !== undefined) this.#waitsFor(retryAfterMs);
    if (model === undefined) return;
    if (code === 'model_at_capacity') {
      this.#full.add(model);
      if (breakers) this.#told.push(breakers.wasFull(model, retryAfterMs));
    } else if (status < 300) {
      this.#answeredBy = model;
      if (breakers) this.#told.push(breakers.answered(model));
    }
  }
}
