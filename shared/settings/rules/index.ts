export {
  addAuditEntry,
  type AuditEntry,
  type SettingChange,
  applyChange,
  type ChangeDecision,
  decideChange,
  type SettingChanger,
} from './change.ts';
export { DEFAULT_VALUES } from './defaults.ts';
export { getLanguageSetting } from './resolve-levels.ts';
export { type SettingLevel, SETTING_LEVELS } from './level-names.ts';
export {
  type SettingsLayer,
  type SettingsLayers,
  type SettingLock,
  type ResolvedSetting,
  resolveSetting,
} from './resolve-levels.ts';
export { MAX_INSTRUCTIONS_LENGTH } from './limits.ts';
export { isSettingLocked, isChangeable, type LevelValue, resolve, resolveAll } from './resolve-settings.ts';
export {
  type PermissionSubject,
  getListIds,
  isRestricted,
  isSilent,
  mayUse,
  type PermissionRefusal,
} from './permission.ts';
export {
  MAX_PRESET_LENGTH,
  MAX_PRESETS,
  type PresetKind,
  parsePresetName,
  PRESET_SETTINGS,
} from './preset-names.ts';
export {
  isSetting,
  parseSettingValues,
  SETTINGS,
  type SettingName,
  type SettingValues,
  type SettingFormat,
} from './values.ts';
export { parseYesNo } from './yes-no.ts';
