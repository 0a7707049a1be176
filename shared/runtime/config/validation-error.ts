import * as v from 'valibot';

/** What was read is not as its schema says. Names the fields, and holds no values. */
export class ValidationError extends Error {
  override readonly name = 'Unreadable';
}

/** So many fields are named. */
const MAX_FIELDS = 5;

/**
 * What a function may reject with. Lambda writes such an error to its log with all its fields, and an error of valibot holds
 * what was read in them: people's words, tokens. Any other error stays as it is.
 */
export function withoutValues(error: unknown): unknown {
  if (!v.isValiError(error)) return error;
  const fields = error.issues.slice(0, MAX_FIELDS).map((issue) => v.getDotPath(issue) ?? 'all of it');
  return new ValidationError(`${fields.join(', ')} missing or wrong`);
}
