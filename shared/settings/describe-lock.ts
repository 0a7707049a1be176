import type { SettingLevel, SettingLock } from './rules/index.ts';
import type { PlatformName } from '../domain/index.ts';
import { type Locale, localize } from '../i18n/index.ts';

/** The level in the keys of texts: Discord calls a workspace a server. */
export const wordForLevel = <L extends string>(level: L, platform: PlatformName): L | 'server' =>
  level === 'workspace' && platform === 'discord' ? 'server' : level;

/** Says which level has locked a setting, and why. */
export function describeLock(
  { by, reason }: SettingLock & { readonly by: SettingLevel },
  locale: Locale,
  platform: PlatformName,
): string {
  const level = localize(locale, `settings.from.${wordForLevel(by, platform)}`);
  return reason === ''
    ? localize(locale, 'settings.no.locked-by', { by: level })
    : localize(locale, 'settings.no.locked', { by: level, reason });
}
