import type { Invocation, TurnRef, UserId } from '../conversation/index.ts';
import type { Platform } from '../platforms/platform.ts';
import { languageSet, type Layers } from '../settings/index.ts';
import { isSpoken, type Locale, localeOf } from '../texts/index.ts';
import type { Deps, Settings } from './ports.ts';
import { placeOfCall, placeOfTurn } from './settings.ts';

/*
 * One locale for everything that a person reads of the bot. The first of these that the bot speaks counts:
 *
 * 1. the setting `language` where they read it (thread, channel, person, workspace, deployment; locks as everywhere);
 * 2. what the platform says with their call (Discord);
 * 3. what the platform knows of them (Slack), or of their guild (Discord);
 * 4. English.
 */

/** What the settings and the platform say together. `platformTag` is a BCP 47 tag. */
export const localeFor = (layers: Layers, platformTag: string | undefined): Locale =>
  localeOf(languageSet(layers), platformTag);

type TurnDeps = {
  readonly platform: Pick<Platform, 'language'>;
  /** As they hold for who asked. */
  readonly settings: Pick<Settings, 'layers'>;
  readonly choices?: Pick<Deps['choices'], 'layers'> | undefined;
};

/** The locale of somebody who reads an answer, or is told something beside it: of who asked unless told otherwise. Never rejects. */
export async function localeOfTurn(
  turn: TurnRef,
  { platform, settings, choices }: TurnDeps,
  user: UserId = turn.asker,
): Promise<Locale> {
  const theirs = user === turn.asker ? undefined : choices?.layers({ ...placeOfTurn(turn), user });
  const layers = (await theirs?.catch(() => undefined)) ?? settings.layers;
  // Where a language is set, the platform need not be asked.
  const tag = isSpoken(languageSet(layers)) ? undefined : await platform.language(turn, user);
  return localeFor(layers, tag);
}

/** The locale of who called, by what is set where they did. Rejects where the settings cannot be read. */
export async function localeOfCall(
  invocation: Invocation,
  { choices, people }: Pick<Deps, 'people'> & { readonly choices: Pick<Deps['choices'], 'layers'> },
): Promise<Locale> {
  const { by } = invocation;
  const layers = await choices.layers(placeOfCall(invocation));
  const isKnown = by.locale !== undefined || isSpoken(languageSet(layers));
  const known = isKnown ? undefined : await people?.(invocation, by.user);
  return localeFor(layers, by.locale ?? known?.locale);
}
