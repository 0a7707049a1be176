import type { WorkerContext } from '../../shared/worker/index.ts';

/** One platform, as a worker needs it. */
export type PlatformAdapter = Pick<WorkerContext, 'platform' | 'messenger'> & {
  readonly userProfile: NonNullable<WorkerContext['userProfile']>;
  readonly directory: NonNullable<WorkerContext['directory']>;
  readonly memberRoles: NonNullable<WorkerContext['memberRoles']>;
};
