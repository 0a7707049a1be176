import type { WorkerContext } from '../context/index.ts';

/** The context of the chat feature. */
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
