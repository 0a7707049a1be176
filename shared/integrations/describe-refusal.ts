import { isIntegration, type TurnRef } from '../domain/index.ts';
import { localize, localizeRefusal } from '../i18n/index.ts';
import { resolveLocale } from '../settings/index.ts';
import { getAccessRefusal, isSilent, type SettingsLayers } from '../settings/rules/index.ts';

/**
 * Describes why an integration may not ask in a channel, for whoever reads its answers; undefined if it may. Whoever made its key has
 * allowed it, so it is in no list of those who are allowed; lists of those who are denied, and of channels, apply, and so does silence.
 */
export function describeIntegrationRefusal(
  { thread, asker }: Pick<TurnRef, 'thread' | 'asker'>,
  layers: SettingsLayers,
): string | undefined {
  const channel = isIntegration(thread.channel) ? undefined : thread.channel;
  const refusal = getAccessRefusal({ user: asker, roles: [], channel, admin: false }, layers);
  const locale = resolveLocale(layers, undefined);
  if (refusal && refusal !== 'not-allowed') return localizeRefusal(refusal, { ...thread, locale });
  return isSilent(layers) ? localize(locale, 'settings.refused.silent') : undefined;
}
