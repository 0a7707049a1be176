import type { ChatContext } from '../context.ts';
import { picturesIn } from '../../billing/index.ts';
import { isLocked } from '../../settings/rules/index.ts';
import type { ChatOptions } from '../../ports/index.ts';
import type { QueueDelivery, RequestPermit } from '../../context/index.ts';
import type { PromptMessage } from '../../domain/index.ts';
import { orderModels } from '../../rate-limits/index.ts';
import type { AttemptOutcome, RateLimitInfo } from '../../upstream/index.ts';
import type { PrefetchedPermit } from './prefetched-permit.ts';
import { waitUntilAvailable } from './model-availability.ts';
import { maxWaitMs, type PermitWait, waitWithStatus, waitForPermit } from './wait-for-permit.ts';
import { STATUS_TEXTS } from '../display/status-indicator.ts';
import { QueueStatus } from '../display/queue-status.ts';

type RequestWait = Omit<PermitWait, 'untilMs'> & {
  readonly delivery: QueueDelivery;
  readonly context: Pick<ChatContext, 'chat' | 'breakers' | 'metrics'>;
  /** Asked once a permit is there: rejects where the work is another process's by now. */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** Taken beforehand, for the first request. */
  readonly early?: PrefetchedPermit | undefined;
};

type LimitOptions = Pick<
  ChatOptions,
  'beforeAttempt' | 'permit' | 'waitsForLimits' | 'onAttempt' | 'onRateLimit'
>;

/** The limits of one completion: a permit for each of its requests, the models to ask, and what the answers say of both. */
export class LimitedRequest {
  readonly #wait: RequestWait;
  readonly #told: Promise<void>[] = [];
  readonly #full = new Set<string>();
  readonly #notReady = new Set<string>();
  /** Nothing is waited for after this. */
  readonly #untilMs: number;
  /** The models that are asked one after the other while they are full. */
  #models: readonly string[] = [];
  #permit: RequestPermit | undefined;
  /** The upstream's client is waiting because an answer asked it to. */
  #waiting: AbortController | undefined;
  #sentMs = 0;
  #answeredBy: string | undefined;
  /** Models that were entered, and have not said yet whether they are full. */
  readonly #entered = new Set<string>();

  constructor(wait: RequestWait) {
    this.#wait = wait;
    this.#untilMs = maxWaitMs(wait.delivery, wait.context.time);
  }

  /** What the chat port is to be called with. */
  get options(): LimitOptions {
    return {
      beforeAttempt: (_attempt, _signal, model) => this.#beforeAttempt(model),
      permit: () => this.#permit,
      waitsForLimits: 'caller',
      onAttempt: (outcome) => this.#ended(outcome),
      onRateLimit: (seen) => this.#heard(seen),
    };
  }

  /** The same; `sent` is called as each request leaves. */
  optionsWith(sent: () => void): LimitOptions {
    const { options } = this;
    const beforeAttempt: LimitOptions['beforeAttempt'] = async (...attempt) => {
      await options.beforeAttempt(...attempt);
      sent();
    };
    return { ...options, beforeAttempt };
  }

  /** Whether a request may have left. */
  get sent(): boolean {
    return this.#sentMs > 0;
  }

  /**
   * The model to ask and those that stand in for it, without those that are known to be full. Waits while all are, and
   * rejects with AllModelsBusyError where that takes longer than there is time.
   */
  async models(
    model: string | undefined,
    prompt: readonly PromptMessage[] = [],
  ): Promise<Pick<ChatOptions, 'model' | 'standIns'>> {
    const { chat, settings } = this.#wait.context;
    // What is held is held for each question too.
    const wanted = isLocked('model', settings.layers) ? chat.model : (model ?? chat.model);
    if (wanted === undefined) return { model: wanted };
    this.#models = await this.#ableModels([...new Set([wanted, ...settings.standIns])], prompt);
    if (this.#models.length === 1) return { model: this.#models[0] };
    await this.#untilOpen(this.#models);
    const full = new Set<string>();
    for (const one of this.#models) if (!(await this.#enter(one))) full.add(one);
    const [first, ...standIns] = orderModels(this.#models, full);
    this.#models = first === undefined ? [] : [first, ...standIns];
    if (first !== wanted) this.#full.add(wanted);
    return { model: first, standIns };
  }

  /**
   * The models that can answer this prompt, as far as the upstream says: those that are ready and, for a prompt with images,
   * accept images. All of them if none can, so that the upstream's own error is shown.
   */
  async #ableModels(models: readonly string[], prompt: readonly PromptMessage[]): Promise<readonly string[]> {
    const { chat } = this.#wait.context;
    if (models.length < 2 || !chat.about) return models;
    const hasImages = picturesIn(prompt) > 0;
    const able: string[] = [];
    for (const model of models) {
      const { ready, images } = await chat.about(model);
      if (ready === false) this.#notReady.add(model);
      else if (!hasImages || images !== false) able.push(model);
    }
    return able.length > 0 ? able : models;
  }

  /** Whether the upstream says that the model is not ready. Known once `models` was called with other models beside it. */
  isNotReady(model: string): boolean {
    return this.#notReady.has(model);
  }

  /** The model that answered in place of the one that was wanted, if one did. */
  standIn(wanted: string | undefined): string | undefined {
    const by = this.#answeredBy;
    if (by === undefined || wanted === undefined || by === wanted) return undefined;
    return this.#full.has(wanted) || this.#notReady.has(wanted) ? by : undefined;
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
    for (const model of this.#entered) this.#leave(model);
    await Promise.all(this.#told);
  }

  /** Waits for the model, then for a permit; a model that is full by then is waited for again, without the permit. */
  async #beforeAttempt(model: string | undefined): Promise<void> {
    // What the attempt before was told has to count before another is made.
    if (this.#told.length > 0) await Promise.all(this.#told);
    if (this.#waited()) this.#wait.thinking?.show(STATUS_TEXTS);
    const { permits } = this.#wait.context;
    const one = this.#toEnter(model);
    for (;;) {
      if (one !== undefined) await this.#untilOpen([one]);
      // Each has said that it is full, and the first is asked again.
      else if (this.#models.length > 1 && this.#sentMs > 0 && model === this.#models[0]) {
        await this.#untilOpen(this.#models);
      }
      this.#permit = (await this.#wait.early?.use()) ?? (await waitForPermit(this.#permitWait));
      if (one === undefined || (await this.#enter(one))) break;
      await permits.release(this.#permit);
    }
    await this.#confirm(this.#permit);
    this.#sentMs = this.#wait.context.time.now();
  }

  /** However long the permit took, nothing is sent for work that another process has by now. */
  async #confirm(permit: RequestPermit): Promise<void> {
    try {
      await this.#wait.confirm?.();
    } catch (error) {
      await this.#wait.context.permits.release(permit);
      throw error;
    }
  }

  /** What was sent before, of this answer or of its tools, goes on: it has had its turn. */
  get #permitWait(): PermitWait {
    const { ask } = this.#wait;
    return { ...this.#wait, untilMs: this.#untilMs, ask: { ...ask, begun: ask.begun === true || this.sent } };
  }

  /** The model that has to be entered before it is asked. None is where others stand in for it. */
  #toEnter(model: string | undefined): string | undefined {
    const { chat } = this.#wait.context;
    return this.#models.length < 2 ? (model ?? this.#models[0] ?? chat.model) : undefined;
  }

  async #untilOpen(models: readonly string[]): Promise<void> {
    const { waited } = await waitUntilAvailable(models, this.#untilMs, this.#wait);
    if (waited) this.#wait.thinking?.show(STATUS_TEXTS);
  }

  async #enter(model: string): Promise<boolean> {
    const wait = await this.#wait.context.breakers.enter(model);
    if (wait > 0) return false;
    this.#entered.add(model);
    return true;
  }

  #leave(model: string): void {
    this.#told.push(this.#wait.context.breakers.recordNoResult(model));
    this.#entered.delete(model);
  }

  /** Whoever waits because the server asked for it is told for how long. */
  #waitsFor(ms: number): void {
    const { thinking, signal, context } = this.#wait;
    if (!thinking) return;
    this.#waited();
    const over = new AbortController();
    this.#waiting = over;
    const status = new QueueStatus(thinking, { time: context.time, zone: context.settings.zone });
    waitWithStatus(ms, { context, signal: AbortSignal.any([signal, over.signal]) }, status).catch(
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

  #heard(seen: RateLimitInfo): void {
    if (this.#permit) {
      this.#told.push(this.#wait.context.permits.report(this.#permit, { ...seen, sentMs: this.#sentMs }));
    }
  }

  #ended({ model = this.#models[0], error }: AttemptOutcome): void {
    const { breakers, metrics } = this.#wait.context;
    if (error && isLimit(error)) metrics('upstream.limited', { RateLimited: 1 }, { source: 'upstream' });
    else if (error) metrics('upstream.failed', { FailedRequests: 1 }, { reason: error.kind });
    if (error?.kind === 'server' && error.retryAfterMs !== undefined) this.#waitsFor(error.retryAfterMs);
    if (model === undefined) return;
    if (error === undefined) {
      this.#answeredBy = model;
      this.#entered.delete(model);
      this.#told.push(breakers.recordSuccess(model));
    } else if (error.kind === 'at-capacity') {
      this.#full.add(model);
      this.#entered.delete(model);
      this.#told.push(breakers.recordFailure(model, error.retryAfterMs));
    } else this.#leave(model);
  }
}

/** Refused for a limit: of the key, or of a model that is full. */
const isLimit = ({ kind }: NonNullable<AttemptOutcome['error']>): boolean =>
  kind === 'rate-limited' || kind === 'at-capacity';
