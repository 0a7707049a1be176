import { SerialQueue } from '../../utils/index.ts';
import type { TurnRef } from '../../domain/index.ts';
import type { Platform, StatusKind, Step } from '../../platforms/ports/index.ts';
import type { Time, Clock } from '../../runtime/index.ts';
import { type Locale, localize, type TextMessage } from '../../i18n/index.ts';
import type { Settings } from '../../ports/index.ts';

/** The status of an answer that waits for nothing else than the words of the model. */
export const THINKING_STATUS: TextMessage = ['answers.status.thinking'];

/** An answer that begins sooner needs no status. */
const SHOW_AFTER_MS = 300;
/** From then on an answer takes long. */
const LONG_ANSWER_MS = 8_000;
/** The statuses of an answer that shows no other, and when they begin. */
const LONG_STATUS: readonly (readonly [ms: number, status: TextMessage])[] = [
  [SHOW_AFTER_MS, THINKING_STATUS],
  [LONG_ANSWER_MS, ['answers.status.still']],
  [25_000, ['answers.status.patience']],
];
/** Slack removes a status after two minutes. */
const RENEW_INTERVAL_MS = 90_000;

type StatusIndicatorOptions = {
  readonly platform: Pick<Platform, 'showStatus'>;
  readonly time: Time;
  /** Never rejects. */
  readonly locale: Promise<Locale>;
  /** The question was delivered before, and the asker has seen what it waits for. */
  readonly isRedelivery?: boolean | undefined;
  /** Called once if the answer takes long. */
  readonly onLong?: (() => void) | undefined;
};

/** The status below a question until the answer is visible. */
export class StatusIndicator {
  readonly #context: StatusIndicatorOptions;
  readonly #turn: TurnRef;
  readonly #ended = new AbortController();
  readonly #queue = new SerialQueue();
  #isStopped = false;
  #current: TextMessage | undefined;
  /** A status other than thinking was shown: the next one has to replace it. */
  #hasDetails = false;

  constructor(turn: TurnRef, context: StatusIndicatorOptions) {
    this.#context = context;
    this.#turn = turn;
    this.#wait(context.time).catch(() => undefined);
  }

  /** Shows a status behind the name of the bot, in place of the one before. */
  show(status: TextMessage): void {
    if (this.#ended.signal.aborted) return;
    this.#current = status;
    this.#hasDetails ||= !isIdle(status);
    const { platform, locale, isRedelivery = false } = this.#context;
    const kind = this.#hasDetails ? getStatusKind(status, isRedelivery) : 'work';
    void this.#queue.run(async () => {
      const text = localize(await locale, ...status);
      // It waited behind a slow one: after the answer it would stay.
      if (!this.#isStopped) await platform.showStatus(this.#turn, text, kind);
    });
  }

  async #wait(time: Time): Promise<void> {
    const { signal } = this.#ended;
    const begin = time.now();
    for (const [at, status] of LONG_STATUS) {
      await time.sleep(Math.max(0, begin + at - time.now()), signal);
      if (at === LONG_ANSWER_MS) this.#context.onLong?.();
      if (this.#current === undefined || isIdle(this.#current)) this.show(status);
    }
    for (;;) {
      await time.sleep(RENEW_INTERVAL_MS, signal);
      if (this.#current !== undefined) this.show(this.#current);
    }
  }

  /** Keeps the last status: the answer comes in a later delivery. */
  keep(): void {
    this.#ended.abort(new Error('the answer comes later'));
  }

  /** Ends the status: something is visible now, or nothing will be. */
  async stop(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#isStopped = true;
    this.#ended.abort(new Error('the answer is visible'));
    // The platform clears the status when a message appears, but not one whose request was still under way.
    if (this.#current === undefined) return;
    await this.#queue.run(() => this.#context.platform.showStatus(this.#turn, ''));
  }
}

const getStatusKind = ([key]: TextMessage, isRedelivery: boolean): StatusKind | undefined =>
  /^answers\.status\.(?:full|line|place)/u.test(key) ? (isRedelivery ? 'waiting' : 'wait') : undefined;

/** Whether a status says only that the bot works: a tool or a place in the queue say more. */
const isIdle = (status: TextMessage): boolean => LONG_STATUS.some(([, idle]) => idle === status);

/** The characters at the end of a trace that are shown in mode `full`. */
const MAX_SHOWN = 2_000;
/** The characters at the end of a trace that go into a file. */
const MAX_IN_FILE = 200_000;

type ReasoningDisplayContext = {
  readonly mode: Settings['reasoning'];
  readonly step: (step: Step) => void;
  readonly now: Clock;
};

/** Shows as a step that a model reasons, and for how long; one step for each request. The trace is used nowhere else. */
export class ReasoningDisplay {
  readonly #context: ReasoningDisplayContext;
  #round = 0;
  #startedAt: number | undefined;
  #durationMs: number | undefined;
  #trace = '';
  #locale: Locale = 'en';

  constructor(context: ReasoningDisplayContext) {
    this.#context = context;
  }

  /** A request begins. */
  begin(): void {
    this.#round += 1;
    this.#startedAt = undefined;
    this.#durationMs = undefined;
    this.#trace = '';
  }

  /** Adds a chunk of the trace. */
  addTrace(words: string, locale: Locale): void {
    const { mode, now } = this.#context;
    if (mode === 'off') return;
    this.#locale = locale;
    if (mode === 'full') this.#trace = (this.#trace + words).slice(-2 * MAX_SHOWN);
    if (mode === 'file') this.#trace = (this.#trace + words).slice(-MAX_IN_FILE);
    if (this.#startedAt !== undefined) return;
    this.#startedAt = now();
    this.#show(localize(locale, 'answers.step.thinking'), 'running');
  }

  /** The first word has arrived: the reasoning has ended, as far as is known. */
  pause(): void {
    if (this.#startedAt === undefined || this.#durationMs !== undefined) return;
    this.#durationMs = this.#context.now() - this.#startedAt;
    this.#show(this.#durationText(this.#durationMs), 'done');
  }

  /** The request has ended. `tokens`: the reasoning tokens, if they were counted. */
  end(tokens?: number): void {
    if (this.#startedAt === undefined || (this.#durationMs !== undefined && !tokens)) return;
    this.#durationMs ??= this.#context.now() - this.#startedAt;
    const count = tokens ? ` · ${localize(this.#locale, 'answers.step.tokens', { count: tokens })}` : '';
    this.#show(`${this.#durationText(this.#durationMs)}${count}`, 'done');
    this.#startedAt = undefined;
  }

  #durationText(ms: number): string {
    const seconds = Math.max(1, Math.round(ms / 1000));
    return seconds < 90
      ? localize(this.#locale, 'answers.step.thought-seconds', { count: seconds })
      : localize(this.#locale, 'answers.step.thought-minutes', { count: Math.round(seconds / 60) });
  }

  #show(title: string, state: Step['state']): void {
    const details = state === 'done' ? getEnd(this.#trace) : '';
    const step: Step = { id: `reasoning-${this.#round}`, title, state };
    const file = this.#context.mode === 'file' ? { file: this.#trace.toWellFormed() } : {};
    this.#context.step(details === '' ? step : { ...step, details, ...file });
  }
}

/** The end of a trace, from the start of a word. */
function getEnd(trace: string): string {
  const text = trace.trim();
  if (text.length <= MAX_SHOWN) return text;
  const end = text.slice(1 - MAX_SHOWN);
  return `…${end.slice(Math.max(0, end.slice(0, 80).search(/\s/u)))}`.toWellFormed();
}
