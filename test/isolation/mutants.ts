import type { Ground } from './system.ts';

/** A bug of the kind that isolation is there to exclude. A simulation that does not notice one proves nothing. */
export type Mutant = {
  readonly name: string;
  /** What the system stands on, with the bug in it. */
  readonly ground: (ground: Ground) => Ground;
};

export const MUTANTS: readonly Mutant[] = [];
