import type { ChatContext } from '../context.ts';
import { isFreeFailure, listMediaModalities } from '../../billing/index.ts';
import { isSettingLocked } from '../../settings/rules/index.ts';
import type { ChatOptions } from '../../ports/index.ts';
import type { QueueDelivery, PromptMessage } from '../../domain/index.ts';
import type { RequestPermit } from '../../storage/index.ts';
import { getStandBackMs, orderModels, RateLimitExceededError } from '../../rate-limits/index.ts';
import type { AttemptOutcome, RateLimitInfo } from '../../upstream/index.ts';
import {
  type PrefetchedPermit,
  waitDeadlineMs,
  type PermitWait,
  waitWithStatus,
  waitForPermit,
  waitUntilAvailable,
} from './wait-for-permit.ts';
import { THINKING_STATUS } from '../display/progress-display.ts';
import { WaitStatus } from '../display/queue-status.ts';

type RequestOptions = Omit<PermitWait, 'deadlineMs'> & {
  readonly delivery: QueueDelivery;
  readonly context: Pick<ChatContext, 'chat' | 'breakers' | 'metrics'>;
  /** Called after a permit is granted. Rejects if another worker holds the work; the permit is then released. */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** A permit that was taken in advance for the first request. */
  readonly prefetchedPermit?: PrefetchedPermit | undefined;
};

type LimitOptions = Pick<
  ChatOptions,
  'beforeAttempt' | 'permit' | 'waitsForLimits' | 'onAttempt' | 'onRateLimit'
>;

/**
 * Keeps one completion within the limits: takes a permit for each request, selects models that are not busy, and reports
 * what the responses say about limits and capacity.
 */
export class RateLimitedRequest {
  readonly #options: RequestOptions;
  /** Reports to the permits and breakers that are not written yet. */
  readonly #reports: Promise<void>[] = [];
  readonly #busy = new Set<string>();
  readonly #notReady = new Set<string>();
  /** The deadline of all waits (ms since 1970). */
  readonly #deadlineMs: number;
  /** The models to try, in order, while models are busy. */
  #models: readonly string[] = [];
  #permit: RequestPermit | undefined;
  /** Ends the display of a wait that the server requested. */
  #serverWait: AbortController | undefined;
  #sentMs = 0;
  /** The waits (ms) that the 429s of its key's limit asked for, 0 for none. */
  readonly #limitWaits: number[] = [];
  /** How many of the requests that were sent the server has not rejected. */
  #unrejected = 0;
  /** Whether the last attempt is one of these. */
  #isCounted = false;
  /** Whether what came of the last attempt is not known: it is under way, or it was not sent. */
  #isUnreported = false;
  #answeredBy: string | undefined;
  /** Models whose breaker let a request pass and has no result of it yet. */
  readonly #entered = new Set<string>();

  constructor(options: RequestOptions) {
    this.#options = options;
    this.#deadlineMs = waitDeadlineMs(options.delivery, options.context.time);
  }

  /** The options for the chat port. */
  get options(): LimitOptions {
    return {
      beforeAttempt: (_attempt, signal, model) => this.#beforeAttempt(model, signal),
      permit: () => this.#permit,
      waitsForLimits: 'caller',
      onAttempt: (outcome) => this.#recordAttempt(outcome),
      onRateLimit: (info) => this.#reportRateLimit(info),
    };
  }

  /** The same options, with a callback before each request. */
  addCallback(onSend: () => void): LimitOptions {
    const { options } = this;
    const beforeAttempt: LimitOptions['beforeAttempt'] = async (...attempt) => {
      await options.beforeAttempt(...attempt);
      onSend();
    };
    return { ...options, beforeAttempt };
  }

  /**
   * How many requests were sent, or are about to be, that the server has not rejected: each may be billed. `failure`: what ended the last
   * one, if it failed before the first word.
   */
  countBillable(failure?: unknown): number {
    return this.#unrejected - (this.#isCounted && isFreeFailure(failure) ? 1 : 0);
  }

  /**
   * Returns the model for the request and its stand-in models, busy ones last. Waits while all are busy. Rejects with
   * AllModelsBusyError if that lasts beyond the deadline.
   */
  async selectModels(
    model: string | undefined,
    prompt: readonly PromptMessage[] = [],
  ): Promise<Pick<ChatOptions, 'model' | 'standIns'>> {
    const { chat, settings } = this.#options.context;
    // A locked model also replaces the model of a single question.
    const requestedModel = isSettingLocked('model', settings.layers) ? chat.model : (model ?? chat.model);
    if (requestedModel === undefined) return { model: requestedModel };
    this.#models = await this.#capableModels([...new Set([requestedModel, ...settings.standIns])], prompt);
    if (this.#models.length === 1) return { model: this.#models[0] };
    await this.#waitForCapacity(this.#models);
    const busy = new Set<string>();
    for (const one of this.#models) if (!(await this.#tryEnter(one))) busy.add(one);
    const [first, ...standIns] = orderModels(this.#models, busy);
    this.#models = first === undefined ? [] : [first, ...standIns];
    if (first !== requestedModel) this.#busy.add(requestedModel);
    return { model: first, standIns };
  }

  /**
   * The models that can answer this prompt, as far as the upstream says: those that are ready and accept its images,
   * recordings and films. All of them if none can, so that the upstream's own error is shown.
   */
  async #capableModels(
    models: readonly string[],
    prompt: readonly PromptMessage[],
  ): Promise<readonly string[]> {
    const { chat } = this.#options.context;
    if (models.length < 2) return models;
    const modalities = listMediaModalities(prompt);
    const capable: string[] = [];
    for (const model of models) {
      const { ready, images, audio, video } = await chat.modelFacts(model);
      const accepts = { image: images, audio, video };
      if (ready === false) this.#notReady.add(model);
      else if (modalities.every((one) => accepts[one] !== false)) capable.push(model);
    }
    return capable.length > 0 ? capable : models;
  }

  /** Whether the upstream says that the model is not ready. Known after `selectModels`, if there are stand-in models. */
  isNotReady(model: string): boolean {
    return this.#notReady.has(model);
  }

  /** Returns the stand-in model that answered in place of `requestedModel`, if one did. */
  findStandIn(requestedModel: string | undefined): string | undefined {
    const by = this.#answeredBy;
    if (by === undefined || requestedModel === undefined || by === requestedModel) return undefined;
    return this.#busy.has(requestedModel) || this.#notReady.has(requestedModel) ? by : undefined;
  }

  /** Returns the answer after all reports about its requests are written. */
  async untilReported<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      await this.end();
    }
  }

  /** Ends the request and waits until all reports are written. Never rejects. */
  async end(): Promise<void> {
    this.#endServerWait();
    for (const model of this.#entered) this.#leave(model);
    await Promise.all(this.#reports);
  }

  /** Waits for the model, then for a permit. If the model is busy by then, releases the permit and waits again. */
  async #beforeAttempt(model: string | undefined, signal = this.#options.signal): Promise<void> {
    // An attempt that was not reported was not sent: its key had been rejected before.
    if (this.#isUnreported) this.#unrejected -= 1;
    this.#isUnreported = false;
    this.#isCounted = false;
    // The limits that the previous attempt reported apply to this one.
    if (this.#reports.length > 0) await Promise.all(this.#reports);
    if (this.#endServerWait()) this.#options.statusIndicator?.show(THINKING_STATUS);
    const standBackMs = getStandBackMs(this.#limitWaits, this.#options);
    if (standBackMs > 0) throw new RateLimitExceededError(standBackMs);
    const { permits } = this.#options.context;
    const one = this.#modelToEnter(model);
    for (;;) {
      if (one !== undefined) await this.#waitForCapacity([one]);
      // All models were busy, and the client starts again with the first.
      else if (this.#models.length > 1 && this.#sentMs > 0 && model === this.#models[0]) {
        await this.#waitForCapacity(this.#models);
      }
      this.#permit = (await this.#options.prefetchedPermit?.use()) ?? (await waitForPermit(this.#permitWait));
      if (one === undefined || (await this.#tryEnter(one))) break;
      await permits.release(this.#permit);
    }
    await this.#confirm(this.#permit, signal);
    this.#sentMs = this.#options.context.time.now();
    this.#unrejected += 1;
    this.#isCounted = true;
    this.#isUnreported = true;
  }

  /** After a long wait for the permit, another worker may hold the work, a person has stopped the answer, or its deadline has passed: then nothing is sent. */
  async #confirm(permit: RequestPermit, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.confirm?.();
      // The client does not wait for the end of `beforeAttempt` then, and `end` may have been called.
      signal.throwIfAborted();
    } catch (error) {
      for (const model of this.#entered) this.#leave(model);
      await this.#options.context.permits.release(permit);
      throw error;
    }
  }

  /** A request after the first continues an answer: it does not queue behind other questions. */
  get #permitWait(): PermitWait {
    const { permitRequest: ask } = this.#options;
    const isContinuation = ask.isContinuation === true || this.#sentMs > 0;
    return { ...this.#options, deadlineMs: this.#deadlineMs, permitRequest: { ...ask, isContinuation } };
  }

  /** Returns the model whose breaker is checked before each attempt; none if there are stand-in models. */
  #modelToEnter(model: string | undefined): string | undefined {
    const { chat } = this.#options.context;
    return this.#models.length < 2 ? (model ?? this.#models[0] ?? chat.model) : undefined;
  }

  async #waitForCapacity(models: readonly string[]): Promise<void> {
    const hasWaited = await waitUntilAvailable(models, this.#deadlineMs, this.#options);
    if (hasWaited) this.#options.statusIndicator?.show(THINKING_STATUS);
  }

  async #tryEnter(model: string): Promise<boolean> {
    const wait = await this.#options.context.breakers.enter(model);
    if (wait > 0) return false;
    this.#entered.add(model);
    return true;
  }

  #leave(model: string): void {
    this.#reports.push(this.#options.context.breakers.recordNoResult(model));
    this.#entered.delete(model);
  }

  /** Shows the remaining time while the client waits as the server requested. */
  #showServerWait(ms: number): void {
    const { statusIndicator, signal, context } = this.#options;
    if (!statusIndicator) return;
    this.#endServerWait();
    const ended = new AbortController();
    this.#serverWait = ended;
    const status = new WaitStatus(statusIndicator, { time: context.time, zone: context.settings.zone });
    waitWithStatus(ms, { context, signal: AbortSignal.any([signal, ended.signal]) }, status).catch(
      () => undefined,
    );
  }

  /** Ends the display of a wait. Returns whether there was one. */
  #endServerWait(): boolean {
    const wait = this.#serverWait;
    this.#serverWait = undefined;
    wait?.abort(new Error('the wait is over'));
    return wait !== undefined;
  }

  #reportRateLimit(info: RateLimitInfo): void {
    if (this.#permit) {
      this.#reports.push(
        this.#options.context.permits.report(this.#permit, { ...info, sentMs: this.#sentMs }),
      );
    }
  }

  #recordAttempt({ model = this.#models[0], error }: AttemptOutcome): void {
    const { breakers, metrics } = this.#options.context;
    this.#isUnreported = false;
    if (this.#isCounted && isFreeFailure(error)) {
      this.#unrejected -= 1;
      this.#isCounted = false;
    }
    if (error?.kind === 'rate-limited') this.#limitWaits.push(error.retryAfterMs ?? 0);
    if (error?.kind === 'rate-limited' || error?.kind === 'at-capacity')
      metrics('upstream.limited', { RateLimited: 1 }, { source: 'upstream' });
    else if (error) metrics('upstream.failed', { FailedRequests: 1 }, { reason: error.kind });
    if (error?.kind === 'server' && error.retryAfterMs !== undefined)
      this.#showServerWait(error.retryAfterMs);
    if (model === undefined) return;
    if (error === undefined) {
      this.#answeredBy = model;
      this.#entered.delete(model);
      this.#reports.push(breakers.recordSuccess(model));
    } else if (error.kind === 'at-capacity') {
      this.#busy.add(model);
      this.#entered.delete(model);
      this.#reports.push(breakers.recordFailure(model, error.retryAfterMs));
    } else this.#leave(model);
  }
}
