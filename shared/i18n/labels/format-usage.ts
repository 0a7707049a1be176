import { hasTypedCommands, type Interaction, type PlatformName } from '../../domain/index.ts';
import { type Locale, type LocalizedText, toLocale } from '../locale.ts';
import { localize } from '../translate.ts';
import { actionLabel, addLabel, deleteLabel, factLabel, memoryLabel, toolsLabel } from './option-labels.ts';
import { confirmSignInLabel, serverLabel, signInLabel, turnOnLabel } from './tool-labels.ts';

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

/** Returns the displayed name of a command or option: English where people type it, otherwise localized. */
export const getCommandName = (name: LocalizedText, format: TypedCommandFormat): string =>
  hasTypedCommands(format) ? name.en : localize(format.locale, name);

/** Formats the name of a command in a sentence: `export`, `/exportieren`. */
export const formatCommandName = (name: LocalizedText, format: TypedCommandFormat): string =>
  hasTypedCommands(format) ? name.en : `/${getCommandName(name, format)}`;

/** Formats a command with its arguments: `/parley voice optout`, `/sprachnachrichten aktion:…`. */
export const formatCommand = (
  name: LocalizedText,
  format: TypedCommandFormat,
  { slackCommand }: { readonly slackCommand: string },
  ...args: readonly string[]
): string => {
  const label = getCommandName(name, format);
  return [hasTypedCommands(format) ? `${slackCommand} ${label}` : `/${label}`, ...args].join(' ');
};

/** Formats an option with its value: `for:channel`, `für:diesen Kanal`. `label`: that of the value, where the platform shows it. */
export const formatOption = (
  option: LocalizedText,
  value: string,
  format: TypedCommandFormat,
  label?: LocalizedText,
): string =>
  `${getCommandName(option, format)}:${label && !hasTypedCommands(format) ? localize(format.locale, label) : value}`;

/** Formats an option that is switched on: `private:yes`. */
export const formatFlag = (option: LocalizedText, format: TypedCommandFormat): string =>
  formatOption(option, hasTypedCommands(format) ? 'yes' : 'True', format);

/** Formats a value. Typed, it is positional, without the option's name. */
export const formatChoice = (
  option: LocalizedText,
  value: string,
  format: TypedCommandFormat,
  label?: LocalizedText,
): string => (hasTypedCommands(format) ? value : formatOption(option, value, format, label));

/** Formats the command that deletes a fact: `/parley memory delete 3f2a1c`. */
export const formatDeleteFact = (
  id: string,
  format: TypedCommandFormat,
  settings: { readonly slackCommand: string },
): string =>
  formatCommand(
    memoryLabel,
    format,
    settings,
    formatChoice(actionLabel, 'delete', format, deleteLabel),
    formatChoice(factLabel, id, format),
  );

const toolActionLabels = {
  add: addLabel,
  on: turnOnLabel,
  connect: signInLabel,
  confirm: confirmSignInLabel,
} as const;

/** Formats a command of tools: `/parley tools on knowledge`, `/werkzeuge aktion:Einschalten was:knowledge`. */
export const formatToolsCommand = (
  action: keyof typeof toolActionLabels,
  what: string,
  format: TypedCommandFormat,
  settings: { readonly slackCommand: string },
): string =>
  formatCommand(
    toolsLabel,
    format,
    settings,
    formatChoice(actionLabel, action, format, toolActionLabels[action]),
    formatChoice(serverLabel, what, format),
  );
