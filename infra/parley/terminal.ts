import { confirm, isCancel } from '@clack/prompts';

/** Where a command reads and writes. Tests pass their own. */
export type Terminal = {
  /** Writes results: one line. */
  readonly print: (line: string) => void;
  /** Writes progress and errors: one line. They do not mix with the results of `--json`. */
  readonly report: (line: string) => void;
  /** Whether results are read by a person who sees colors. */
  readonly hasColors: boolean;
  /** Characters per line; undefined if results go to a file or another program. */
  readonly width: number | undefined;
  /** Asks a person. Undefined if nobody can answer, because input or output is no terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Shows nothing, and nobody can answer: for what reads the program without running a command. */
export const SILENT_TERMINAL: Terminal = {
  print: () => undefined,
  report: () => undefined,
  hasColors: false,
  width: undefined,
  confirm: undefined,
  env: {},
};

export function createTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  // The reader ended, as in `npx parley tail | head`: nobody wants more.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  return {
    print: (line) => void stdout.write(`${line}\n`),
    report: (line) => void stderr.write(`${line}\n`),
    hasColors: stdout.isTTY && stdout.hasColors(),
    width: stdout.isTTY ? stdout.columns : undefined,
    confirm: stdin.isTTY && stderr.isTTY ? askPerson : undefined,
    env: process.env,
  };
}

/** Ctrl+C means no. */
async function askPerson(message: string): Promise<boolean> {
  const answer = await confirm({ message, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}
