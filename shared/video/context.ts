import type { WorkerContext } from '../context/ports.ts';

/** What making videos needs. */
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
