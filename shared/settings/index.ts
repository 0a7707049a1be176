export { findAccessRefusal } from './authorize.ts';
export {
  resolveInteractionLocale,
  resolveLocale,
  resolveReaderLocale,
  resolveTurnLocale,
} from './resolve-locale.ts';
export { getInteractionSettingsPlace, getTurnSettingsPlace, withSettings } from './load-settings.ts';
export { combineInstructions } from './system-prompt.ts';
export { describeLock } from './describe-lock.ts';
export { getSettingLabel, getValueLabel, describeValues, appendValues } from './setting-labels.ts';
export { keyCard, parseApiKey, rejectedKeyCard, type WorkspaceKeyStore } from './workspace-api-key.ts';
