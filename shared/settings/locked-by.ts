import type { SettingLevel, SettingLock } from './rules/index.ts';
import { type Locale, localize } from '../i18n/index.ts';

/** Who holds a setting, and why. */
export function lockedBy(
  { by, reason }: SettingLock & { readonly by: SettingLevel },
  locale: Locale,
): string {
  const level = localize(locale, `settings.from.${by}`);
  return reason === ''
    ? localize(locale, 'settings.no.locked-by', { by: level })
    : localize(locale, 'settings.no.locked', { by: level, reason });
}
