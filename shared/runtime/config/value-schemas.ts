import * as v from 'valibot';

/** A non-empty text. */
export const text = v.pipe(v.string(), v.minLength(1));
/** Trimmed: parameters easily get surrounding spaces, which `URL` alone would accept. */
export const urlStartingWith = (start: RegExp, message: string) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.check((value) => start.test(value) && URL.canParse(value), message),
  );
export const httpUrl = urlStartingWith(/^https?:\/\//i, 'must be an http or https address');
export const oneOf = <const Names extends readonly string[]>(names: Names) =>
  v.picklist(names, `must be one of ${names.join(', ')}`);
/** An integer from 1. One check instead of three, because each failed check of a pipe reports its own error. */
export const wholeNumber = (max: number) =>
  v.pipe(
    v.string(),
    v.transform(Number),
    v.check(
      (value) => Number.isInteger(value) && value >= 1 && value <= max,
      `must be a whole number from 1 to ${max}`,
    ),
  );
