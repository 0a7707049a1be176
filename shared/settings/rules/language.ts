import { type SettingsLayers, resolveSetting } from './resolve-levels.ts';
import { SETTING_LEVELS } from './level-names.ts';

/**
 * Returns the language that is set (a BCP 47 tag); undefined if none is, or `auto`. Does not import the table of settings,
 * which would enlarge the front's bundle.
 */
export function getLanguageSetting(layers: SettingsLayers): string | undefined {
  const { value } = resolveSetting(SETTING_LEVELS, 'language', layers);
  return value === 'auto' ? undefined : value;
}
