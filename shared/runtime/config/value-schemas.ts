import * as v from 'valibot';

/** Something. */
export const text = v.pipe(v.string(), v.minLength(1));
/** Without the blanks around it, which a parameter easily comes with and `URL` alone would pass over. */
export const addressOf = (start: RegExp, fault: string) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.check((written) => start.test(written) && URL.canParse(written), fault),
  );
export const address = addressOf(/^https?:\/\//i, 'it has to be an http or https address');
export const oneOf = <const Names extends readonly string[]>(names: Names) =>
  v.picklist(names, `it has to be one of ${names.join(', ')}`);
/** A whole number from 1 on. One check, not three: each of a pipe tells its fault, and this one would be told three times. */
export const wholeNumber = (most: number) =>
  v.pipe(
    v.string(),
    v.transform(Number),
    v.check(
      (written) => Number.isInteger(written) && written >= 1 && written <= most,
      `it has to be a whole number from 1 to ${most}`,
    ),
  );
