import { type SettingsLayers, resolveSetting } from './resolve-levels.ts';
import { SETTING_LEVELS } from './level-names.ts';

/** The language that is set where something is read (a BCP 47 tag); undefined where none is, or `auto`. Without the table of settings, for a front. */
export function languageSetting(layers: SettingsLayers): string | undefined {
  const { value } = resolveSetting(SETTING_LEVELS, 'language', layers);
  return value === 'auto' ? undefined : value;
}
