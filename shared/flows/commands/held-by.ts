import type { Level, Lock } from '../../settings/index.ts';
import { type Locale, say } from '../../texts/index.ts';

/** Who holds a setting, and why. */
export function heldBy({ by, reason }: Lock & { readonly by: Level }, locale: Locale): string {
  const level = say(locale, `settings.from.${by}`);
  return reason === ''
    ? say(locale, 'settings.no.locked-by', { by: level })
    : say(locale, 'settings.no.locked', { by: level, reason });
}
