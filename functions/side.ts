import type { Deps } from '../shared/flows/index.ts';

/** One platform, as a worker needs it. */
export type Side = Pick<Deps, 'platform' | 'stage'> & {
  readonly people: NonNullable<Deps['people']>;
  readonly directory: NonNullable<Deps['directory']>;
  readonly standing: NonNullable<Deps['standing']>;
};
