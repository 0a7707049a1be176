import type { Interaction, PlatformName } from '../../domain/index.ts';
import { type Locale, localeOf, type LocalizedText, localize } from '../index.ts';

/** Where somebody types a command, and in which language its names are shown to them. */
export type TypedCommandFormat = { readonly platform: PlatformName; readonly locale: Locale };

/**
 * Where a caller types, and in which language: Discord shows its commands in that of the person's app, which comes with the
 * call, whatever language is set for the bot.
 */
export const commandFormat = ({
  platform,
  by,
}: Pick<Interaction, 'platform' | 'by'>): TypedCommandFormat => ({
  platform,
  locale: localeOf(by.locale),
});

/** What a command or an option of one is called there: Discord shows it in the person's language, Slack knows the English name. */
export const commandName = (name: LocalizedText, { platform, locale }: TypedCommandFormat): string =>
  platform === 'discord' ? localize(locale, name) : name.en;

/** How a command is typed there, with what is typed behind it: `/parley voice optout`, `/sprachnachrichten aktion:…`. */
export const formatTyped = (
  name: LocalizedText,
  where: TypedCommandFormat,
  { slackCommand }: { readonly slackCommand: string },
  ...behind: readonly string[]
): string => {
  const shown = commandName(name, where);
  return [where.platform === 'slack' ? `${slackCommand} ${shown}` : `/${shown}`, ...behind].join(' ');
};

/** How an option is given a value by its name: `for:channel`, `für:dieser Kanal`. `shown` is what Discord calls the value. */
export const formatOption = (
  option: LocalizedText,
  value: string,
  where: TypedCommandFormat,
  shown?: LocalizedText,
): string =>
  `${commandName(option, where)}:${shown && where.platform === 'discord' ? localize(where.locale, shown) : value}`;

/** A value as it is typed: Slack takes it in its place, without the name of its option. */
export const formatChoice = (
  option: LocalizedText,
  value: string,
  where: TypedCommandFormat,
  shown?: LocalizedText,
): string => (where.platform === 'slack' ? value : formatOption(option, value, where, shown));
