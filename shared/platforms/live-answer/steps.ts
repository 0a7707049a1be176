import { truncateText } from '../../utils/index.ts';
import type { Step } from '../ports/index.ts';
import { sanitize, type TextLimit } from '../markdown/index.ts';
import { type AnswerMessage, type AnswerState, stepsOf } from './answer-state.ts';
import type { NativeStreams } from './transport.ts';

const MAX_TITLE_LENGTH = 250;
const MAX_DETAILS_LENGTH = 1_500;
/** Longer details are not shown behind the title. */
const MAX_INLINE_DETAILS_LENGTH = 80;

const SIGN = { running: '…', done: '✓', failed: '✗' } as const;

/** The step shortened and sanitized for a platform. */
export function cleanStep({ id, title, state, details, file }: Step): Step {
  const shown = truncateText(sanitize(title).replace(/\s+/g, ' ').trim(), MAX_TITLE_LENGTH) || '…';
  const more = details === undefined ? undefined : truncateText(sanitize(details).trim(), MAX_DETAILS_LENGTH);
  return {
    id: truncateText(id, MAX_TITLE_LENGTH),
    title: shown,
    state,
    ...(more ? { details: more } : {}),
    ...(file && { file }),
  };
}

/** A line of small print, shortened and sanitized for a platform. */
export const footerText = (words: string): string =>
  truncateText(sanitize(words).replaceAll(/\s+/g, ' ').trim(), MAX_TITLE_LENGTH);

/** Identifies what the card of a step shows. */
export function cardOf({ title, state, details }: Step): string {
  return JSON.stringify([title, state, details]);
}

/** The step as one line, for example "✓ Thought for 9 s · 640 tokens". Long details are left out. */
export function inWords({ title, state, details = '' }: Step): string {
  const short = details !== '' && details.length <= MAX_INLINE_DETAILS_LENGTH && !details.includes('\n');
  return `${SIGN[state]} ${title}${short ? ` · ${details}` : ''}`;
}

/** The final states of all steps: `last`, behind the known steps that it does not have. */
export function lastSteps(known: Iterable<Step>, last: readonly Step[] | undefined): Step[] {
  const final = new Map((last ?? []).map((step) => [step.id, cleanStep(step)]));
  const rest = [...known].filter(({ id }) => !final.has(id));
  const state = last ? 'done' : 'failed';
  const ended = rest.map((step) => (step.state === 'running' ? { ...step, state } : step)) satisfies Step[];
  return [...ended, ...final.values()];
}

/** This share of a stream is kept for words, however many steps there are. */
const MIN_WORDS_SHARE = 0.1;

type Streams = Pick<NativeStreams<never>, 'fit' | 'sizeOf'>;
type Streamed = Pick<AnswerMessage, 'streamedSteps'>;

/** The steps of an answer that people have not seen in their current state. */
export class PendingSteps {
  readonly #due = new Map<string, Step>();
  /** New steps that the current message has no room for: the next message begins with them. */
  readonly #deferred = new Map<string, Step>();

  add(step: Step): void {
    this.#deferred.delete(step.id);
    this.#due.set(step.id, step);
  }

  /** Whether there is something to show now. */
  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** The due steps that a stream has room for beside these words. The others are deferred. */
  fitting(
    streams: Streams,
    { streamedSteps }: Streamed,
    words: string,
    { unit, max }: TextLimit,
  ): readonly Step[] {
    const size = Math.max(unit.size(words), max * MIN_WORDS_SHARE);
    const { fitting, left } = streams.fit(size, [...this.#due.values()], streamedSteps);
    this.#due.clear();
    for (const step of fitting) this.#due.set(step.id, step);
    this.defer({ streamedSteps }, left);
    return fitting;
  }

  /** What the steps of a stream measure once the due ones are shown too. */
  sizeWith(streams: Streams, { streamedSteps }: Streamed): number {
    return streams.sizeOf(new Map([...streamedSteps, ...this.#due]).values());
  }

  /** Leaves new steps to the next message. What the steps of this stream lack is left to the end of the answer. */
  defer({ streamedSteps }: Streamed, steps: readonly Step[]): void {
    for (const step of steps) {
      this.#due.delete(step.id);
      if (!streamedSteps.has(step.id)) this.#deferred.set(step.id, step);
    }
  }

  /** A message begins: the deferred steps are due. */
  beginMessage(): void {
    const due = [...this.#deferred.values(), ...this.#due.values()];
    this.#deferred.clear();
    this.#due.clear();
    for (const step of due) this.#due.set(step.id, step);
  }

  /** The stream shows these steps. A step that has changed since is still due. */
  streamed({ streamedSteps }: Streamed, steps: readonly Step[]): void {
    for (const step of steps) {
      streamedSteps.set(step.id, step);
      if (this.#due.get(step.id) === step) this.#due.delete(step.id);
    }
  }

  /**
   * Returns the steps that an edit of the message shows: for a stream its own and the due ones, otherwise
   * all of its own. After it, none is due.
   */
  take(message: AnswerMessage, answer: AnswerState): Step[] {
    const steps = [...answer.steps.values()];
    const own = stepsOf(message, answer, steps);
    const belongs = (step: Step): boolean =>
      (own.includes(step) || this.#due.has(step.id)) && !this.#deferred.has(step.id);
    const wanted = message.isNative ? steps.filter(belongs) : own;
    this.#due.clear();
    return wanted;
  }
}
