/** Returns the class name of an error, for logs: messages may contain personal data. `unknown` for other values. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/** A code of an API, or of Node: never a sentence. Not 0, which Discord gives for no special reason, nor the old number of a DOMException. */
const CODE = /^[\w.-]{1,64}$/u;

function findCode(error: unknown): string | number | undefined {
  const code =
    error instanceof Error && !(error instanceof DOMException) && 'code' in error && error.code !== 0
      ? error.code
      : undefined;
  return typeof code === 'number' || (typeof code === 'string' && CODE.test(code)) ? code : undefined;
}

/**
 * Returns the name of an error, and the code that the service gave for it or for its cause, for logs: `SlackApiError` says little without
 * `invalid_auth`.
 */
export function getErrorFacts(error: unknown): { readonly error: string; readonly code?: string | number } {
  const name = errorName(error);
  const code = findCode(error) ?? (error instanceof Error ? findCode(error.cause) : undefined);
  return code === undefined || code === name ? { error: name } : { error: name, code };
}
