/** A startup problem that the person can fix. Its message is printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
