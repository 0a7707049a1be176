import type { Interaction, TurnRef, UserId } from '../domain/index.ts';
import type { Platform } from '../platforms/ports/platform.ts';
import { languageSetting, type SettingsLayers } from './rules/index.ts';
import { isSupportedLanguage, type Locale, toLocale } from '../i18n/index.ts';
import type { Settings } from '../ports/chat-model.ts';
import type { FindUserProfile } from '../ports/people.ts';
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
  readonly platform: Pick<Platform, 'getLocale'>;
  /** As they hold for who asked. */
  readonly settings: Pick<Settings, 'layers'>;
  readonly settingsStore?: Pick<SettingsStore, 'layers'> | undefined;
};

/** The locale of somebody who reads an answer, or is told something beside it: of who asked unless told otherwise. Never rejects. */
export async function resolveTurnLocale(
  turn: TurnRef,
  { platform, settings, settingsStore: choices }: TurnContext,
  user: UserId = turn.asker,
): Promise<Locale> {
  const theirs = user === turn.asker ? undefined : choices?.layers({ ...settingsPlaceOfTurn(turn), user });
  const layers = (await theirs?.catch(() => undefined)) ?? settings.layers;
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
