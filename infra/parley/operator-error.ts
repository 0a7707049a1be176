/** A command cannot do what it was asked for. The message says why, and what to do. It contains no credentials. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
