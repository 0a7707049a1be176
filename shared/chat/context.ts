import type { WorkerContext } from '../context/index.ts';

/** What answering questions needs. */
export type ChatContext = Pick<
  WorkerContext,
  | 'turns'
  | 'signals'
  | 'platform'
  | 'messenger'
  | 'queue'
  | 'showMessage'
  | 'chat'
  | 'permits'
  | 'breakers'
  | 'transcription'
  | 'pdf'
  | 'price'
  | 'budgets'
  | 'botMayAsk'
  | 'time'
  | 'settings'
  | 'settingsStore'
  | 'presets'
  | 'userProfile'
  | 'memberRoles'
  | 'featureTools'
  | 'erasureMoments'
  | 'memory'
  | 'notePhases'
  | 'movesLarge'
  | 'metrics'
  | 'log'
  | 'deployment'
>;
