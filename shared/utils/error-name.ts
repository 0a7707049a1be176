/** Returns the class name of an error, for logs: messages may contain personal data. `unknown` for other values. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/** A code of an API, or of Node: never a sentence. */
const CODE = /^[\w.-]{1,64}$/u;

/** Returns the name of an error, and the code that the service gave for it, for logs: `SlackApiError` says little without `invalid_auth`. */
export function errorFacts(error: unknown): { readonly error: string; readonly code?: string | number } {
  const name = errorName(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return { error: name, code };
  return typeof code === 'string' && CODE.test(code) && code !== name
    ? { error: name, code }
    : { error: name };
}
