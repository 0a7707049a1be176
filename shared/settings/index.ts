export { findRefusal } from './authorize.ts';
export { settingsPlaceOfInteraction, settingsPlaceOfTurn, withSettings } from './load-settings.ts';
export { lockedBy } from './locked-by.ts';
export {
  resolveInteractionLocale,
  resolveLocale,
  resolveReaderLocale,
  resolveTurnLocale,
} from './resolve-locale.ts';
export { labelOf, valueLabel, valuesOf, withValues } from './setting-labels.ts';
export { instructionsAt } from './system-prompt.ts';
export { keyCard, readKey, refusedCard, type WorkspaceKeyStore } from './workspace-api-key.ts';
