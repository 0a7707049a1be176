export {
  resolveInteractionLocale,
  resolveLocale,
  resolveReaderLocale,
  resolveTurnLocale,
} from './resolve-locale.ts';
export {
  combineInstructions,
  getInteractionSettingsPlace,
  getTurnSettingsPlace,
  withMasking,
  withSettings,
} from './load-settings.ts';
export { describeLock, wordForLevel } from './describe-lock.ts';
export {
  appendValues,
  describeValues,
  findValueByLabel,
  getSettingLabel,
  getValueLabel,
  isResetLabel,
} from './setting-labels.ts';
export { keyCard, parseUpstreamKey, rejectedKeyCard, type WorkspaceKeyStore } from './workspace-api-key.ts';
