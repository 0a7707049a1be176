import type { WorkerContext } from '../context/index.ts';

/** The context of the video feature. */
export type VideoContext = Pick<
  WorkerContext,
  | 'videos'
  | 'videoPermits'
  | 'turns'
  | 'platform'
  | 'messenger'
  | 'queue'
  | 'budgets'
  | 'time'
  | 'settings'
  | 'userProfile'
  | 'memberRoles'
  | 'log'
>;
