import * as v from 'valibot';

/** The input does not match its schema. Names the fields and contains no values. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';
}

/** The maximum number of fields in the message. */
const MAX_FIELDS = 5;

/**
 * Replaces a validation error with one that contains no values; other errors stay. Lambda logs the error that a
 * function rejects with, with all its fields, and an error of valibot contains the input: texts of people,
 * tokens.
 */
export function redactValidationError(error: unknown): unknown {
  if (!v.isValiError(error)) return error;
  const fields = error.issues.slice(0, MAX_FIELDS).map((issue) => v.getDotPath(issue) ?? 'the whole value');
  return new ValidationError(`${fields.join(', ')} missing or wrong`);
}
