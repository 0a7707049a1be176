import type { CommandsContext } from '../context.ts';
import type { Card, CardPart } from '../../domain/index.ts';
import {
  type Locale,
  localize,
  getCommandName,
  formatCommand,
  type TypedCommandFormat,
  getCommandFormat,
} from '../../i18n/index.ts';
import { explainOption, shownName } from './explain-option.ts';
import { isSimilar } from './similar-words.ts';
import type { CommandContext, CommandFile } from '../framework/types.ts';
import { type CommandSpec, isOnPlatform, type OptionSpec, type Texts } from '../framework/command-spec.ts';

export type TypedCommand = CommandFile & { readonly spec: CommandSpec };

export const commandDescription = ({ about }: Texts, locale: Locale): string =>
  about ? localize(locale, about) : '';

/** How a command is written: `/parley ask question [private]` in Slack; in Discord as the caller is shown it, `/fragen frage [privat]`. */
export function usageText(
  command: TypedCommand,
  { invocation }: Pick<CommandContext, 'invocation'>,
  { settings }: Pick<CommandsContext, 'settings'>,
): string {
  const { name } = command.texts;
  const where = getCommandFormat(invocation);
  return name ? formatCommand(name, where, settings, ...optionsText(command, where)) : command.spec.name;
}

/** The names of the options that there are on a platform, those that may be left out in brackets. */
export function optionsText({ spec, texts }: TypedCommand, where: TypedCommandFormat): string[] {
  return optionsOn(spec, where).map((option) => {
    const shown = shownName(texts, option, where);
    return option.required ? shown : `[${shown}]`;
  });
}

/** Slack's commands carry no files. */
const optionsOn = ({ options }: CommandSpec, { platform }: TypedCommandFormat): readonly OptionSpec[] =>
  options.filter(({ kind }) => platform === 'discord' || kind !== 'attachment');

/** The command that somebody names: in any language, with or without what stands before it, or as the menu of a message does. */
export function findCommand(
  given: string,
  { commands, invocation }: Pick<CommandContext, 'commands' | 'invocation'>,
  { settings }: Pick<CommandsContext, 'settings'>,
): CommandFile | undefined {
  const word = given.trim().normalize('NFKC').toLowerCase();
  const name = word.startsWith(`${settings.slackCommand} `) ? word.slice(settings.slackCommand.length) : word;
  const wanted = name.trim().replace(/^\//u, '');
  const here = commands.filter(({ spec, onMessage }) =>
    [spec, onMessage].some((of) => of && isOnPlatform(of, invocation.platform)),
  );
  return here.find(({ spec, onMessage, texts }) =>
    [
      spec?.name,
      onMessage?.name,
      ...Object.values(texts['name'] ?? {}),
      ...Object.values(texts['onMessage'] ?? {}),
    ].some((one) => one?.toLowerCase() === wanted),
  );
}

/** What can be typed on the platform of a call. */
export const typedCommands = ({
  commands,
  invocation,
}: Pick<CommandContext, 'commands' | 'invocation'>): TypedCommand[] =>
  commands.filter(
    (one): one is TypedCommand => one.spec !== undefined && isOnPlatform(one.spec, invocation.platform),
  );

/** The command whose name a word nearly is, or is in another language. */
export function nearCommand(
  given: string,
  called: Pick<CommandContext, 'commands' | 'invocation'>,
  context: Pick<CommandsContext, 'settings'>,
): TypedCommand | undefined {
  const word = given.normalize('NFKC').toLowerCase();
  const translated = findCommand(given, called, context);
  return typedCommands(called).find((one) => one === translated || isSimilar(one.spec.name, word));
}

/** What one command is for, how it is written, and what each of its options means. */
export function commandCard(
  command: CommandFile,
  called: CommandContext,
  context: Pick<CommandsContext, 'settings'>,
): Card {
  const { locale, invocation } = called;
  const { spec, onMessage, texts } = command;
  const where = getCommandFormat(invocation);
  const isTyped = spec !== undefined && isOnPlatform(spec, where.platform);
  const inMenu = onMessage && isOnPlatform(onMessage, where.platform) ? texts['onMessage'] : undefined;
  const label = inMenu && getCommandName(inMenu, where);
  const menu: CardPart[] = label
    ? [{ kind: 'text', markdown: localize(locale, 'commands.help.in-menu', { label }) }]
    : [];
  if (!isTyped) return { title: label, parts: menu };
  const usage = usageText({ ...command, spec }, called, context);
  return {
    title: texts['name'] ? getCommandName(texts['name'], where) : spec.name,
    parts: [
      { kind: 'text', markdown: `${commandDescription(texts, locale)}\n\`${usage}\`` },
      ...optionParts(spec, texts, locale, where),
      ...menu,
    ],
  };
}

/** One paragraph for each option; in Slack also how options are typed. */
function optionParts(spec: CommandSpec, texts: Texts, locale: Locale, where: TypedCommandFormat): CardPart[] {
  const options = optionsOn(spec, where);
  if (options.length === 0) return [{ kind: 'note', markdown: localize(locale, 'commands.help.no-options') }];
  const how: CardPart[] =
    where.platform === 'slack'
      ? [{ kind: 'note', markdown: localize(locale, 'commands.help.how-options') }]
      : [];
  return [{ kind: 'text', markdown: optionLines(spec, texts, locale, where) }, ...how];
}

/** A line of Markdown for each option: its name, what it means, and the values it takes; empty where there is none. */
export function optionLines(
  spec: CommandSpec,
  texts: Texts,
  locale: Locale,
  where: TypedCommandFormat,
): string {
  const lines = optionsOn(spec, where).map((option) => {
    const required = option.required ? ` (${localize(locale, 'commands.help.required')})` : '';
    const name = `\`${shownName(texts, option, where)}\`${required}`;
    return `- ${name} ${explainOption(option, texts, locale, where)}`;
  });
  return lines.join('\n');
}
