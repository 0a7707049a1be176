/** Something that somebody did, and how it has to end. */
export type Expectation = {
  readonly what: string;
  /** What is missing or too much as of now; undefined where it has ended as it should. */
  wrong(): string | undefined;
};

/** A question with a mark at its beginning and at its end: an answer that repeats it is whole if it has both. */
export function question(mark: string, words = 24): string {
  const middle = Array.from({ length: words }, (_, n) => `${mark.length}w${n}`).join(' ');
  return `[[sim:echo]] begin-${mark}. ${middle} ${mark}-end.`;
}

/** How many of these texts hold the whole answer to the question of this mark, and how many a part of it only. */
export function answersTo(texts: readonly string[], mark: string): { whole: number; half: number } {
  const begun = texts.reduce((sum, text) => sum + text.split(`begin-${mark}.`).length - 1, 0);
  const ended = texts.reduce((sum, text) => sum + text.split(`${mark}-end.`).length - 1, 0);
  return { whole: Math.min(begun, ended), half: Math.abs(begun - ended) };
}
