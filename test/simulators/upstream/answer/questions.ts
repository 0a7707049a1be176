import { keywords } from './memory.ts';

const ABOUT: readonly ((word: string) => string)[] = [
  (word) => `What does ${word} mean here?`,
  (word) => `Where can I read more on ${word}?`,
  (word) => `What is an example of ${word}?`,
];
const IN_GENERAL = ['Can you show each step?', 'Why is that so?', 'What is an example?'];
/** Shorter words say little of what a text is about. */
const MIN_LETTERS = 5;

/** Short questions that a person may ask next about a text, each with a word of it where there is one. */
export function questionsAbout(text: string, count: number): string[] {
  const words = text.match(/\p{L}+/gu) ?? [];
  const wordsByLowerCase = new Map(words.map((word) => [word.toLowerCase(), word]));
  const telling = [...wordsByLowerCase.values()].filter(
    (word) => word.length >= MIN_LETTERS && keywords(word).size > 0,
  );
  return ABOUT.slice(0, count).map((ask, at) => {
    const word = telling[at];
    return word === undefined ? (IN_GENERAL[at] ?? '') : ask(word);
  });
}
