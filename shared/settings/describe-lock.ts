import type { SettingLevel, SettingLock } from './rules/index.ts';
import { type Locale, localize } from '../i18n/index.ts';

/** Says which level has locked a setting, and why. */
export function describeLock(
  { by, reason }: SettingLock & { readonly by: SettingLevel },
  locale: Locale,
): string {
  const level = localize(locale, `settings.from.${by}`);
  return reason === ''
    ? localize(locale, 'settings.no.locked-by', { by: level })
    : localize(locale, 'settings.no.locked', { by: level, reason });
}
