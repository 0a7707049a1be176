/** Exit codes of all commands. They are documented in docs/command-line.md. */
export const EXIT_CODE = {
  success: 0,
  /** The command ran, and what it checked or did failed. */
  failure: 1,
  /** Wrong arguments: nothing was done. */
  usage: 2,
} as const;
