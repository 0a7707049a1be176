import { OperatorError } from '../operator-error.ts';

/** A part of the page that comes from one service of AWS. */
export type Part<T> = {
  /** Starts to read unless the last result is fresh or a read is running. Resolves when nothing is being read. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** The last result that could be read; undefined before the first. */
  readonly latest: () => T | undefined;
  readonly isReading: () => boolean;
  /** Why the last read failed; undefined if it did not. */
  readonly problem: () => string | undefined;
};

export type PartOptions = {
  /** How long a result is fresh, in ms. A failure counts as a result. */
  readonly maxAgeMs: number;
  readonly now: () => number;
  /** Receives an error that is no OperatorError. */
  readonly reportError: (error: unknown) => void;
};

const UNEXPECTED = 'AWS sent an unexpected response. The terminal of "npx parley dashboard" says more.';

/** Reads a part at most once per `maxAgeMs`, however many windows and refreshes ask for it. */
export function createPart<T>(read: () => Promise<T>, { maxAgeMs, now, reportError }: PartOptions): Part<T> {
  let latest: T | undefined;
  let problem: string | undefined;
  let readAt = -Infinity;
  let running: Promise<void> | undefined;
  const readNow = async (): Promise<void> => {
    try {
      latest = await read();
      problem = undefined;
    } catch (error) {
      if (!(error instanceof OperatorError)) reportError(error);
      problem = error instanceof OperatorError ? error.message : UNEXPECTED;
    } finally {
      readAt = now();
      running = undefined;
    }
  };
  return {
    async refresh() {
      if (running === undefined && now() - readAt >= maxAgeMs) running = readNow();
      await running;
    },
    latest: () => latest,
    isReading: () => running !== undefined,
    problem: () => problem,
  };
}
