export {
  auditEntry,
  type AuditEntry,
  type SettingChange,
  applyChange,
  type ChangeDecision,
  decideChange,
  type SettingChanger,
} from './change.ts';
export { DEFAULT_VALUES } from './defaults.ts';
export { languageSetting } from './language.ts';
export { type SettingLevel, SETTING_LEVELS } from './level-names.ts';
export {
  type SettingsLayer,
  type SettingsLayers,
  type SettingLock,
  type ResolvedSetting,
  resolveSetting,
} from './resolve-levels.ts';
export { MAX_INSTRUCTIONS_LENGTH } from './limits.ts';
export { isLocked, isChangeable, type LevelValue, resolve, resolveAll } from './resolve-settings.ts';
export {
  type PermissionSubject,
  idsOf,
  isRestricted,
  isSilent,
  mayUse,
  type PermissionRefusal,
} from './permission.ts';
export {
  MAX_SAVED_LENGTH,
  MAX_SAVED,
  type PresetKind,
  parsePresetName,
  SETTING_OF_PRESET,
} from './preset-names.ts';
export {
  isSetting,
  readLayer,
  SETTINGS,
  type SettingName,
  type SettingValues,
  type WrittenSettings,
} from './values.ts';
export { yesOrNo } from './yes-no.ts';
