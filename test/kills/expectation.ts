/** An action of a person, and its expected result. */
export type Expectation = {
  readonly what: string;
  /** What is missing or duplicated now, or undefined once the result is correct. */
  wrong(): string | undefined;
  /**
   * How many requests the system has accepted by now: only these must have a result. The platform gives the others up, because the system was away each
   * time.
   */
  accepted(): number;
  /**
   * Its result is due only from this time on (ms since 1970), and its question may be asked until then: a round that starts the system for the last time
   * before leaves it to the next round.
   */
  readonly later?: { readonly mark: string; readonly dueAt: number };
  /** The marker of a question whose answer the person had made again, and how often they clicked. */
  readonly regenerated?: { readonly mark: string; readonly clicks: number };
};

/** Whether a result has to be there in the round that started the system for the last time at this moment (ms since 1970). */
export const isDue = ({ later }: Pick<Expectation, 'later'>, startedAt: number): boolean =>
  later === undefined || later.dueAt <= startedAt;

/** A question with a marker at its start and its end: an answer that repeats it is complete if it has both. */
export function question(mark: string, words = 24): string {
  const middle = Array.from({ length: words }, (_, n) => `${mark.length}w${n}`).join(' ');
  return `[[sim:echo]] begin-${mark}. ${middle} ${mark}-end.`;
}

/**
 * How many of these texts contain the complete answer to the question with this marker, and how many a part of it.
 */
export function answersTo(texts: readonly string[], mark: string): { whole: number; half: number } {
  const starts = texts.reduce((sum, text) => sum + text.split(`begin-${mark}.`).length - 1, 0);
  const ended = texts.reduce((sum, text) => sum + text.split(`${mark}-end.`).length - 1, 0);
  return { whole: Math.min(starts, ended), half: Math.abs(starts - ended) };
}
