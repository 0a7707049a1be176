/** Shorter names are similar to too many words. */
const MIN_NAME_LENGTH = 3;

/** Returns whether a word differs from a name by one inserted, missing or replaced letter, or by two swapped letters. */
export function isSimilar(name: string, word: string | undefined): boolean {
  if (word === undefined || name === word || name.length < MIN_NAME_LENGTH) return false;
  let from = 0;
  while (from < name.length && name.charAt(from) === word.charAt(from)) from += 1;
  const [a, b] = [name.slice(from), word.slice(from)];
  const isSwapped = a.charAt(0) === b.charAt(1) && a.charAt(1) === b.charAt(0) && a.slice(2) === b.slice(2);
  return isSwapped || a.slice(1) === b.slice(1) || a === b.slice(1) || a.slice(1) === b;
}
