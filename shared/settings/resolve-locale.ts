import type { UserId, Interaction, TurnRef } from '../domain/index.ts';
import type { FindUserProfile, LocaleFinder } from '../platforms/ports/index.ts';
import { getLanguageSetting, type SettingsLayers } from './rules/index.ts';
import { isSupportedLanguage, type Locale, toLocale } from '../i18n/index.ts';
import type { Settings } from '../ports/index.ts';
import type { SettingsStore } from '../storage/index.ts';
import { getInteractionSettingsPlace, getTurnSettingsPlace } from './load-settings.ts';

/*
 * The bot uses one locale for everything that a person reads. It is the first supported one of these:
 *
 * 1. the setting `language` where they read (thread, channel, person, workspace, deployment; locks apply);
 * 2. the locale that the platform sends with their interaction (Discord);
 * 3. the locale of their profile (Slack) or guild (Discord);
 * 4. English.
 */

/** Combines the settings with the locale from the platform. `platformTag` is a BCP 47 tag. */
export const resolveLocale = (layers: SettingsLayers, platformTag: string | undefined): Locale =>
  toLocale(getLanguageSetting(layers), platformTag);

type TurnContext = {
  readonly platform: LocaleFinder;
  /** The settings of the asker. */
  readonly settings: Pick<Settings, 'layers'>;
};

/** Resolves the locale of the asker. Never rejects. */
export function resolveTurnLocale(turn: TurnRef, context: TurnContext): Promise<Locale> {
  return resolveUserLocale(turn.asker, turn, context.settings.layers, context);
}

/** Resolves the locale of a person who reads a notice about a turn, by their own settings. Never rejects. */
export async function resolveReaderLocale(
  user: UserId,
  turn: TurnRef,
  context: TurnContext & { readonly settingsStore: Pick<SettingsStore, 'layers'> },
): Promise<Locale> {
  if (user === turn.asker) return resolveTurnLocale(turn, context);
  const layers = await context.settingsStore
    .layers({ ...getTurnSettingsPlace(turn), user })
    .catch(() => context.settings.layers);
  return resolveUserLocale(user, turn, layers, context);
}

async function resolveUserLocale(
  user: UserId,
  turn: TurnRef,
  layers: SettingsLayers,
  { platform }: Pick<TurnContext, 'platform'>,
): Promise<Locale> {
  // If a language is set, the platform request is unnecessary.
  const tag = isSupportedLanguage(getLanguageSetting(layers))
    ? undefined
    : await platform.getLocale(turn, user);
  return resolveLocale(layers, tag);
}

/** Resolves the locale of an interaction's sender, by the settings there. Rejects if the settings cannot be read. */
export async function resolveInteractionLocale(
  interaction: Interaction,
  {
    settingsStore,
    userProfile,
  }: {
    readonly userProfile: FindUserProfile;
    readonly settingsStore: Pick<SettingsStore, 'layers'>;
  },
): Promise<Locale> {
  const { by } = interaction;
  const layers = await settingsStore.layers(getInteractionSettingsPlace(interaction));
  const isKnown = by.locale !== undefined || isSupportedLanguage(getLanguageSetting(layers));
  const profile = isKnown ? undefined : await userProfile(interaction, by.user);
  return resolveLocale(layers, by.locale ?? profile?.locale);
}
