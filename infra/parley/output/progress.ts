import type { Terminal } from '../terminal.ts';

const SLOW_MS = 1_000;

/** Reports `text` if the work takes longer than a second, so that nobody thinks that the command hangs. */
export async function withProgress<T>(
  { report }: Pick<Terminal, 'report'>,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => report(text), SLOW_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
