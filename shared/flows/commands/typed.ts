import type { Invocation, PlatformName } from '../../conversation/index.ts';
import { type Locale, localeOf, type Said, say } from '../../texts/index.ts';

/** Where somebody types a command, and in which language its names are shown to them. */
export type Typing = { readonly platform: PlatformName; readonly locale: Locale };

/**
 * Where a caller types, and in which language: Discord shows its commands in that of the person's app, which comes with the
 * call, whatever language is set for the bot.
 */
export const typingOf = ({ platform, by }: Pick<Invocation, 'platform' | 'by'>): Typing => ({
  platform,
  locale: localeOf(by.locale),
});

/** What a command or an option of one is called there: Discord shows it in the person's language, Slack knows the English name. */
export const nameOf = (name: Said, { platform, locale }: Typing): string =>
  platform === 'discord' ? say(locale, name) : name.en;

/** How a command is typed there, with what is typed behind it: `/parley voice optout`, `/sprachnachrichten aktion:…`. */
export const typed = (
  name: Said,
  where: Typing,
  { slackCommand }: { readonly slackCommand: string },
  ...behind: readonly string[]
): string => {
  const shown = nameOf(name, where);
  return [where.platform === 'slack' ? `${slackCommand} ${shown}` : `/${shown}`, ...behind].join(' ');
};

/** How an option is given a value by its name: `for:channel`, `für:dieser Kanal`. `shown` is what Discord calls the value. */
export const given = (option: Said, value: string, where: Typing, shown?: Said): string =>
  `${nameOf(option, where)}:${shown && where.platform === 'discord' ? say(where.locale, shown) : value}`;

/** A value as it is typed: Slack takes it in its place, without the name of its option. */
export const chosen = (option: Said, value: string, where: Typing, shown?: Said): string =>
  where.platform === 'slack' ? value : given(option, value, where, shown);
