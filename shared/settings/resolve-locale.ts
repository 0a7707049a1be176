import type { Interaction, TurnRef, UserId } from '../domain/index.ts';
import type { LocaleFinder } from '../platforms/ports/directory.ts';
import { languageSetting, type SettingsLayers } from './rules/index.ts';
import type { Settings } from '../ports/index.ts';
import { isSupportedLanguage, type Locale, toLocale } from '../i18n/index.ts';
import type { FindUserProfile } from '../platforms/ports/people.ts';
import type { SettingsStore } from '../storage/index.ts';
import { settingsPlaceOfInteraction, settingsPlaceOfTurn } from './load-settings.ts';

/*
 * One locale for everything that a person reads of the bot. The first of these that the bot speaks counts:
 *
 * 1. the setting `language` where they read it (thread, channel, person, workspace, deployment; locks as everywhere);
 * 2. what the platform says with their call (Discord);
 * 3. what the platform knows of them (Slack), or of their guild (Discord);
 * 4. English.
 */

/** What the settings and the platform say together. `platformTag` is a BCP 47 tag. */
export const resolveLocale = (layers: SettingsLayers, platformTag: string | undefined): Locale =>
  toLocale(languageSetting(layers), platformTag);

type TurnContext = {
  readonly platform: LocaleFinder;
  /** As they hold for who asked. */
  readonly settings: Pick<Settings, 'layers'>;
};

/** The locale in which who asked reads an answer. Never rejects. */
export function resolveTurnLocale(turn: TurnRef, context: TurnContext): Promise<Locale> {
  return resolveLocaleOf(turn.asker, turn, context.settings.layers, context);
}

/** The locale of somebody who is told something beside an answer: by their own settings. Never rejects. */
export async function resolveReaderLocale(
  user: UserId,
  turn: TurnRef,
  context: TurnContext & { readonly settingsStore: Pick<SettingsStore, 'layers'> },
): Promise<Locale> {
  if (user === turn.asker) return resolveTurnLocale(turn, context);
  const own = await context.settingsStore
    .layers({ ...settingsPlaceOfTurn(turn), user })
    .catch(() => context.settings.layers);
  return resolveLocaleOf(user, turn, own, context);
}

async function resolveLocaleOf(
  user: UserId,
  turn: TurnRef,
  layers: SettingsLayers,
  { platform }: Pick<TurnContext, 'platform'>,
): Promise<Locale> {
  // Where a language is set, the platform need not be asked.
  const tag = isSupportedLanguage(languageSetting(layers)) ? undefined : await platform.getLocale(turn, user);
  return resolveLocale(layers, tag);
}

/** The locale of who called, by what is set where they did. Rejects where the settings cannot be read. */
export async function resolveInteractionLocale(
  invocation: Interaction,
  {
    settingsStore: choices,
    userProfile: people,
  }: {
    readonly userProfile: FindUserProfile;
    readonly settingsStore: Pick<SettingsStore, 'layers'>;
  },
): Promise<Locale> {
  const { by } = invocation;
  const layers = await choices.layers(settingsPlaceOfInteraction(invocation));
  const isKnown = by.locale !== undefined || isSupportedLanguage(languageSetting(layers));
  const known = isKnown ? undefined : await people(invocation, by.user);
  return resolveLocale(layers, by.locale ?? known?.locale);
}
