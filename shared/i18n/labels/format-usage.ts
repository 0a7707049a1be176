import type { Interaction, PlatformName } from '../../domain/index.ts';
import { type Locale, type LocalizedText, toLocale } from '../locale.ts';
import { localize } from '../translate.ts';

/** The platform and the language in which command names are shown. */
export type TypedCommandFormat = { readonly platform: PlatformName; readonly locale: Locale };

/**
 * Returns the format for an interaction. Discord shows its commands in the language of the person's app, which is part of
 * the interaction, whatever language is set for the bot.
 */
export const getCommandFormat = ({
  platform,
  by,
}: Pick<Interaction, 'platform' | 'by'>): TypedCommandFormat => ({
  platform,
  locale: toLocale(by.locale),
});

/** Returns the displayed name of a command or option: localized on Discord, English on Slack. */
export const getCommandName = (name: LocalizedText, { platform, locale }: TypedCommandFormat): string =>
  platform === 'discord' ? localize(locale, name) : name.en;

/** Formats a command with its arguments: `/parley voice optout`, `/sprachnachrichten aktion:…`. */
export const formatCommand = (
  name: LocalizedText,
  format: TypedCommandFormat,
  { slackCommand }: { readonly slackCommand: string },
  ...args: readonly string[]
): string => {
  const label = getCommandName(name, format);
  return [format.platform === 'slack' ? `${slackCommand} ${label}` : `/${label}`, ...args].join(' ');
};

/** Formats an option with its value: `for:channel`, `für:dieser Kanal`. `shown` is Discord's label of the value. */
export const formatOption = (
  option: LocalizedText,
  value: string,
  format: TypedCommandFormat,
  label?: LocalizedText,
): string =>
  `${getCommandName(option, format)}:${label && format.platform === 'discord' ? localize(format.locale, label) : value}`;

/** Formats a value. On Slack it is positional, without the option's name. */
export const formatChoice = (
  option: LocalizedText,
  value: string,
  format: TypedCommandFormat,
  label?: LocalizedText,
): string => (format.platform === 'slack' ? value : formatOption(option, value, format, label));
