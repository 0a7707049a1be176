import type { WorkerContext } from '../../shared/worker/index.ts';

/** One platform, as a worker needs it. */
export type PlatformAdapter = Pick<WorkerContext, 'platform' | 'messenger'> & {
  readonly userProfile: WorkerContext['userProfile'];
  readonly directory: WorkerContext['directory'];
  readonly memberRoles: WorkerContext['memberRoles'];
};
