import type { PlatformsConfig } from '../../shared/runtime/index.ts';
import type { WorkerContext } from '../../shared/worker/index.ts';

/** What a worker needs of a platform. */
export type PlatformAdapter = Pick<WorkerContext, 'platform' | 'messenger'> & {
  readonly userProfile: WorkerContext['userProfile'];
  readonly directory: WorkerContext['directory'];
  readonly memberRoles: WorkerContext['memberRoles'];
  readonly channelAccess: WorkerContext['channelAccess'];
  readonly isPublicChannel: WorkerContext['isPublicChannel'];
};

/** Builds an adapter from the configuration: called once per process, and makes no request yet. */
export type CreatePlatformAdapter = (config: PlatformsConfig) => PlatformAdapter;
