export { audited, type Audited, type Change, changed, type Decision, decide, type Who } from './change.ts';
export { type Level, LEVELS } from './level.ts';
export type { Layer, Layers, Lock, Resolved } from './among.ts';
export { MAX_INSTRUCTIONS_LENGTH } from './limits.ts';
export { isHeld, type LevelValue, resolve, resolveAll } from './levels.ts';
export { type Asker, idsOf, isRestricted, isSilent, mayUse, type Refusal } from './permission.ts';
export { LONGEST_SAVED, MOST_SAVED, type SavedKind, savedName } from './saved.ts';
export { isSetting, readLayer, SETTINGS, type SettingName, type Values, type Written } from './values.ts';
export { yesOrNo } from './yes-no.ts';
