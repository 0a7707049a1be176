import type { WorkerContext } from '../../shared/worker/index.ts';

/** What a worker needs of a platform. */
export type PlatformAdapter = Pick<WorkerContext, 'platform' | 'messenger'> & {
  readonly userProfile: WorkerContext['userProfile'];
  readonly directory: WorkerContext['directory'];
  readonly memberRoles: WorkerContext['memberRoles'];
};
