import type { Step } from '../platforms/platform.ts';
import type { Clock } from '../runtime/time.ts';
import { type Locale, say } from '../texts/index.ts';
import type { Settings } from './ports.ts';

/** How much of the end of a trace is shown where all of it may be. */
const MOST_SHOWN = 2_000;
/** How much of the end of a trace goes into a file. */
const MOST_IN_FILE = 200_000;

export type ReasoningDeps = {
  readonly mode: Settings['reasoning'];
  readonly step: (step: Step) => void;
  readonly now: Clock;
};

/** Shows that a model reasons, and for how long it did, as a step; one for each request. The trace goes nowhere else. */
export class Reasoning {
  readonly #deps: ReasoningDeps;
  #round = 0;
  #began: number | undefined;
  #took: number | undefined;
  #trace = '';
  #locale: Locale = 'en';

  constructor(deps: ReasoningDeps) {
    this.#deps = deps;
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
    const { mode, now } = this.#deps;
    if (mode === 'off') return;
    this.#locale = locale;
    if (mode === 'full') this.#trace = (this.#trace + words).slice(-2 * MOST_SHOWN);
    if (mode === 'file') this.#trace = (this.#trace + words).slice(-MOST_IN_FILE);
    if (this.#began !== undefined) return;
    this.#began = now();
    this.#show(say(locale, 'answers.step.thinking'), 'running');
  }

  /** The first word has come: the reasoning is over, as far as one can see. */
  pause(): void {
    if (this.#began === undefined || this.#took !== undefined) return;
    this.#took = this.#deps.now() - this.#began;
    this.#show(this.#lasting(this.#took), 'done');
  }

  /** The request has ended. `tokens` is how many of them were reasoning, if that was counted. */
  end(tokens?: number): void {
    if (this.#began === undefined || (this.#took !== undefined && !tokens)) return;
    this.#took ??= this.#deps.now() - this.#began;
    const count = tokens ? ` · ${say(this.#locale, 'answers.step.tokens', { count: tokens })}` : '';
    this.#show(`${this.#lasting(this.#took)}${count}`, 'done');
    this.#began = undefined;
  }

  #lasting(ms: number): string {
    const seconds = Math.max(1, Math.round(ms / 1000));
    return seconds < 90
      ? say(this.#locale, 'answers.step.thought-seconds', { count: seconds })
      : say(this.#locale, 'answers.step.thought-minutes', { count: Math.round(seconds / 60) });
  }

  #show(title: string, state: Step['state']): void {
    const details = state === 'done' ? endOf(this.#trace) : '';
    const step: Step = { id: `reasoning-${this.#round}`, title, state };
    const file = this.#deps.mode === 'file' ? { file: this.#trace.toWellFormed() } : {};
    this.#deps.step(details === '' ? step : { ...step, details, ...file });
  }
}

/** The end of a trace, from the beginning of a word. */
function endOf(trace: string): string {
  const text = trace.trim();
  if (text.length <= MOST_SHOWN) return text;
  const end = text.slice(1 - MOST_SHOWN);
  return `…${end.slice(Math.max(0, end.slice(0, 80).search(/\s/u)))}`.toWellFormed();
}
