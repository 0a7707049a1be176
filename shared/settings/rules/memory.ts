import { ADMIN_LEVELS } from './level-names.ts';
import { type SettingsLayers, resolveSetting } from './resolve-settings.ts';

/** Returns whether administrators allow memory here. If not, nothing about it has to be read. */
export const isMemoryAllowed = (layers: SettingsLayers): boolean =>
  resolveSetting(ADMIN_LEVELS, 'memory', layers).value === 'on';

/** Returns whether the person has memory here: administrators allow it, and the person turned it on. */
export const hasMemory = (layers: SettingsLayers): boolean =>
  isMemoryAllowed(layers) && resolveSetting(['person'], 'memoryOptIn', layers).value === true;
