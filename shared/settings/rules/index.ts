export {
  addAuditEntry,
  type AuditEntry,
  type SettingChange,
  applyChange,
  authorizeChange,
  type SettingChanger,
} from './change.ts';
export {
  DEFAULT_VALUES,
  isSetting,
  parseSettingValues,
  SETTINGS,
  type SettingName,
  type SettingValues,
  type SettingFormat,
} from './values.ts';
export {
  getLanguageSetting,
  type SettingsLayer,
  type SettingsLayers,
  type SettingLock,
  type ResolvedSetting,
  resolveSetting,
  isSettingLocked,
  isChangeable,
  resolve,
  resolveAll,
} from './resolve-settings.ts';
export {
  MAX_CHANNEL_FACTS_LENGTH,
  MAX_INSTRUCTIONS_LENGTH,
  MAX_VERSIONS,
  type SettingLevel,
  SETTING_LEVELS,
} from './level-names.ts';
export { findAccessRefusal, getListIds, isSilent, getAccessRefusal, type AccessRefusal } from './access.ts';
export {
  MAX_PERSONA_LENGTH,
  MAX_PRESET_LENGTH,
  MAX_PRESET_NAME_LENGTH,
  MAX_SCHEMA_LENGTH,
  MAX_PRESETS,
  type PresetKind,
  parsePresetName,
  PRESET_SETTINGS,
} from './preset-names.ts';
export { findEnabledTools, hasEnabledTools, isToolSourceName } from './tools.ts';
export { MASK_KINDS } from './mask.ts';
export { hasMemory, isMemoryAllowed } from './memory.ts';
export { parseNumber, toDecimalPoint } from './parse-number.ts';
export { parseYesNo } from './yes-no.ts';
