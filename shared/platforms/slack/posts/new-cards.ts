import type { Step } from '../../ports/platform.ts';
import type { TextLimit } from '../../markdown/index.ts';
import type { AnswerPart } from '../answer/live-answer.ts';
import { cardsBeside, sizeOfCards } from '../answer/task-cards.ts';

/** This share of a stream is kept for words, however many task cards there are. */
const MIN_WORDS = 0.1;

/** The steps of an answer that people have not seen in their last state. */
export class NewCards {
  readonly #due = new Map<string, Step>();
  /** New ones for whose cards the message has no room: they begin the next one. */
  readonly #waiting = new Map<string, Step>();

  add(step: Step): void {
    this.#waiting.delete(step.id);
    this.#due.set(step.id, step);
  }

  /** Whether there is something to show now. */
  get due(): boolean {
    return this.#due.size > 0;
  }

  /** Whether the message that is being written is to show the step. `own`: it is one of its steps otherwise. */
  belongs({ id }: Step, own: boolean): boolean {
    return (own || this.#due.has(id)) && !this.#waiting.has(id);
  }

  /** What the message has room for beside the words that it shows; new cards that it has none for wait for the next. */
  fitting({ cards }: AnswerPart, words: string, limit: TextLimit): readonly Step[] {
    const size = Math.max(limit.unit.size(words), limit.max * MIN_WORDS);
    const { fitting, left } = cardsBeside(size, [...this.#due.values()], cards, limit);
    this.#due.clear();
    for (const step of fitting) this.#due.set(step.id, step);
    this.wait({ cards }, left);
    return fitting;
  }

  /** What the cards of a message take once these are shown too. */
  sizeWith({ cards }: AnswerPart): number {
    return sizeOfCards(new Map([...cards, ...this.#due]).values());
  }

  /** Leaves new cards to the next message. What those that stand there lack is left to the end of the answer. */
  wait({ cards }: Pick<AnswerPart, 'cards'>, steps: readonly Step[]): void {
    for (const step of steps) {
      this.#due.delete(step.id);
      if (!cards.has(step.id)) this.#waiting.set(step.id, step);
    }
  }

  /** A message begins: those that waited for it are due. */
  begin(): void {
    const due = [...this.#waiting.values(), ...this.#due.values()];
    this.#waiting.clear();
    this.#due.clear();
    for (const step of due) this.#due.set(step.id, step);
  }

  /** The message shows them. One that was changed meanwhile is due again. */
  told({ cards }: AnswerPart, steps: readonly Step[]): void {
    for (const step of steps) {
      cards.set(step.id, step);
      if (this.#due.get(step.id) === step) this.#due.delete(step.id);
    }
  }

  /** All that is due is shown in another way. */
  clear(): void {
    this.#due.clear();
  }
}
