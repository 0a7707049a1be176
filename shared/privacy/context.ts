import type { WorkerContext } from '../context/index.ts';

/** What erasure, export and retention need. */
export type PrivacyContext = Pick<
  WorkerContext,
  | 'erasure'
  | 'erasureMoments'
  | 'shortening'
  | 'exporter'
  | 'exportLimit'
  | 'scanLease'
  | 'installs'
  | 'videos'
  | 'budgets'
  | 'messenger'
  | 'queue'
  | 'userProfile'
  | 'settings'
  | 'settingsStore'
  | 'time'
  | 'log'
>;
