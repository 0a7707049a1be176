import type { Step } from '../../platforms/ports/platform.ts';
import type { Clock } from '../../runtime/time.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import type { Settings } from '../../context/ports.ts';

/** How much of the end of a trace is shown where all of it may be. */
const MAX_SHOWN = 2_000;
/** How much of the end of a trace goes into a file. */
const MAX_IN_FILE = 200_000;

export type ReasoningDisplayContext = {
  readonly mode: Settings['reasoning'];
  readonly step: (step: Step) => void;
  readonly now: Clock;
};

/** Shows that a model reasons, and for how long it did, as a step; one for each request. The trace goes nowhere else. */
export class ReasoningDisplay {
  readonly #context: ReasoningDisplayContext;
  #round = 0;
  #began: number | undefined;
  #took: number | undefined;
  #trace = '';
  #locale: Locale = 'en';

  constructor(context: ReasoningDisplayContext) {
    this.#context = context;
  }

  /** A request begins. */
  begin(): void {
    this.#round += 1;
    this.#began = undefined;
    this.#took = undefined;
    this.#trace = '';
  }

  /** A piece of the trace has come. */
  heard(words: string, locale: Locale): void {
    const { mode, now } = this.#context;
    if (mode === 'off') return;
    this.#locale = locale;
    if (mode === 'full') this.#trace = (this.#trace + words).slice(-2 * MAX_SHOWN);
    if (mode === 'file') this.#trace = (this.#trace + words).slice(-MAX_IN_FILE);
    if (this.#began !== undefined) return;
    this.#began = now();
    this.#show(localize(locale, 'answers.step.thinking'), 'running');
  }

  /** The first word has come: the reasoning is over, as far as one can see. */
  pause(): void {
    if (this.#began === undefined || this.#took !== undefined) return;
    this.#took = this.#context.now() - this.#began;
    this.#show(this.#lasting(this.#took), 'done');
  }

  /** The request has ended. `tokens` is how many of them were reasoning, if that was counted. */
  end(tokens?: number): void {
    if (this.#began === undefined || (this.#took !== undefined && !tokens)) return;
    this.#took ??= this.#context.now() - this.#began;
    const count = tokens ? ` · ${localize(this.#locale, 'answers.step.tokens', { count: tokens })}` : '';
    this.#show(`${this.#lasting(this.#took)}${count}`, 'done');
    this.#began = undefined;
  }

  #lasting(ms: number): string {
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

/** The end of a trace, from the beginning of a word. */
function endOf(trace: string): string {
  const text = trace.trim();
  if (text.length <= MAX_SHOWN) return text;
  const end = text.slice(1 - MAX_SHOWN);
  return `…${end.slice(Math.max(0, end.slice(0, 80).search(/\s/u)))}`.toWellFormed();
}
