import type { Step } from '../../platforms/ports/index.ts';
import type { Clock } from '../../runtime/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import type { Settings } from '../../ports/index.ts';

/** The characters at the end of a trace that are shown in mode `full`. */
const MAX_SHOWN = 2_000;
/** The characters at the end of a trace that go into a file. */
const MAX_IN_FILE = 200_000;

export type ReasoningDisplayContext = {
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
    const details = state === 'done' ? endOf(this.#trace) : '';
    const step: Step = { id: `reasoning-${this.#round}`, title, state };
    const file = this.#context.mode === 'file' ? { file: this.#trace.toWellFormed() } : {};
    this.#context.step(details === '' ? step : { ...step, details, ...file });
  }
}

/** The end of a trace, from the start of a word. */
function endOf(trace: string): string {
  const text = trace.trim();
  if (text.length <= MAX_SHOWN) return text;
  const end = text.slice(1 - MAX_SHOWN);
  return `…${end.slice(Math.max(0, end.slice(0, 80).search(/\s/u)))}`.toWellFormed();
}
