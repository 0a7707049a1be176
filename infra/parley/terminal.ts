/** Where a command reads and writes. Tests pass their own. */
export type Terminal = {
  /** Writes results: one line. */
  readonly print: (line: string) => void;
  /** Writes progress and errors: one line. They do not mix with the results of `--json`. */
  readonly report: (line: string) => void;
  /** Whether results are read by a person who sees colors. */
  readonly hasColors: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export function createTerminal(): Terminal {
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    report: (line) => void process.stderr.write(`${line}\n`),
    hasColors: process.stdout.isTTY && process.stdout.hasColors(),
    env: process.env,
  };
}
