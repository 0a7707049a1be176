/** Why the system cannot start, in words for the person who starts it. Printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartProblem';
}
