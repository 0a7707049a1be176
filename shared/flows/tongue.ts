import type { TurnRef, UserId } from '../conversation/index.ts';
import type { Platform } from '../platforms/platform.ts';
import { resolve } from '../settings/index.ts';
import { type Locale, localeOf } from '../texts/index.ts';
import type { Settings } from './ports.ts';

type Speaking = {
  readonly platform: Pick<Platform, 'language'>;
  readonly settings: Pick<Settings, 'layers'>;
};

/** The language in which the bot speaks to somebody: what is set where they ask, else what they read. Never rejects. */
export async function tongueOf(
  turn: TurnRef,
  { platform, settings }: Speaking,
  user: UserId = turn.asker,
): Promise<Locale> {
  const set = resolve('language', settings.layers).value ?? 'auto';
  return localeOf(set === 'auto' ? await platform.language(turn, user) : set);
}
