import type { CommandsContext } from '../context.ts';
import { hasTypedCommands, type Card, type CardPart } from '../../domain/index.ts';
import {
  type Locale,
  localize,
  getCommandName,
  formatCommand,
  type TypedCommandFormat,
  getCommandFormat,
} from '../../i18n/index.ts';
import { explainOption, getOptionLabel } from './explain-option.ts';
import { formatMenuPath } from './menu-path.ts';
import { isSimilar } from './similar-words.ts';
import type { CommandRequest, CommandFile } from '../framework/types.ts';
import { type CommandSpec, isOnPlatform, type OptionSpec, type Texts } from '../framework/command-spec.ts';

export type TypedCommand = CommandFile & { readonly spec: CommandSpec };

export const getDescription = ({ about }: Texts, locale: Locale): string =>
  about ? localize(locale, about) : '';

/** Formats the usage of a command: `/parley ask question [private]` in Slack; in Discord with localized names, `/fragen frage [privat]`. */
export function formatUsage(
  command: TypedCommand,
  { interaction }: Pick<CommandRequest, 'interaction'>,
  { settings }: Pick<CommandsContext, 'settings'>,
): string {
  const { name } = command.texts;
  const where = getCommandFormat(interaction);
  return name ? formatCommand(name, where, settings, ...formatOptions(command, where)) : command.spec.name;
}

/** Formats the names of the options on a platform; optional ones are in brackets. */
export function formatOptions({ spec, texts }: TypedCommand, where: TypedCommandFormat): string[] {
  return listOptions(spec, where).map((option) => {
    const label = getOptionLabel(texts, option, where);
    return option.required ? label : `[${label}]`;
  });
}

/** Typed commands have no attachments. */
const listOptions = ({ options }: CommandSpec, format: TypedCommandFormat): readonly OptionSpec[] =>
  options.filter(({ kind }) => !hasTypedCommands(format) || kind !== 'attachment');

/** Finds a command by its name in any language, with or without its prefix, or by its label in the menu of a message. */
export function findCommand(
  input: string,
  { commands, interaction }: Pick<CommandRequest, 'commands' | 'interaction'>,
  { settings }: Pick<CommandsContext, 'settings'>,
): CommandFile | undefined {
  const word = input.trim().normalize('NFKC').toLowerCase();
  const name = word.startsWith(`${settings.slackCommand} `) ? word.slice(settings.slackCommand.length) : word;
  const commandName = name.trim().replace(/^\//u, '');
  const here = commands.filter(({ spec, messageCommand }) =>
    [spec, messageCommand].some((of) => of && isOnPlatform(of, interaction.platform)),
  );
  return here.find(({ spec, messageCommand, texts }) =>
    [
      spec?.name,
      messageCommand?.name,
      ...Object.values(texts['name'] ?? {}),
      ...Object.values(texts['messageCommand'] ?? {}),
    ].some((one) => one?.toLowerCase() === commandName),
  );
}

/** Lists the commands that can be typed on the platform. */
export const listTypedCommands = ({
  commands,
  interaction,
}: Pick<CommandRequest, 'commands' | 'interaction'>): TypedCommand[] =>
  commands.filter(
    (one): one is TypedCommand => one.spec !== undefined && isOnPlatform(one.spec, interaction.platform),
  );

/** Finds the command with a similar name, or with this name in another language. */
export function findSimilarCommand(
  name: string,
  request: Pick<CommandRequest, 'commands' | 'interaction'>,
  context: Pick<CommandsContext, 'settings'>,
): TypedCommand | undefined {
  const word = name.normalize('NFKC').toLowerCase();
  const translated = findCommand(name, request, context);
  return listTypedCommands(request).find((one) => one === translated || isSimilar(one.spec.name, word));
}

/** Explains a command: its purpose, usage and options. */
export function createCommandCard(
  command: CommandFile,
  request: CommandRequest,
  context: Pick<CommandsContext, 'settings'>,
): Card {
  const { locale, interaction } = request;
  const { spec, messageCommand, texts } = command;
  const where = getCommandFormat(interaction);
  const isTyped = spec !== undefined && isOnPlatform(spec, where.platform);
  const inMenu =
    messageCommand && isOnPlatform(messageCommand, where.platform) ? texts['messageCommand'] : undefined;
  const menu = (inMenu ? [formatMenuPath(inMenu, where, locale)] : []).map((label): CardPart => ({
    kind: 'text',
    markdown: localize(locale, 'commands.help.in-menu', { label }),
  }));
  if (!isTyped) return { title: inMenu && getCommandName(inMenu, where), parts: menu };
  const usage = formatUsage({ ...command, spec }, request, context);
  return {
    title: texts['name'] ? getCommandName(texts['name'], where) : spec.name,
    parts: [
      { kind: 'text', markdown: `${getDescription(texts, locale)}\n\`${usage}\`` },
      ...createOptionParts(spec, texts, locale, where),
      ...menu,
    ],
  };
}

/** Explains the options; in Slack also how to type them. */
function createOptionParts(
  spec: CommandSpec,
  texts: Texts,
  locale: Locale,
  where: TypedCommandFormat,
): CardPart[] {
  const options = listOptions(spec, where);
  if (options.length === 0) return [{ kind: 'note', markdown: localize(locale, 'commands.help.no-options') }];
  const how: CardPart[] = hasTypedCommands(where)
    ? [{ kind: 'note', markdown: localize(locale, 'commands.help.how-options') }]
    : [];
  return [{ kind: 'text', markdown: formatOptionLines(spec, texts, locale, where) }, ...how];
}

/** Formats a Markdown line per option: name, meaning and values. Empty without options. */
export function formatOptionLines(
  spec: CommandSpec,
  texts: Texts,
  locale: Locale,
  where: TypedCommandFormat,
): string {
  const lines = listOptions(spec, where).map((option) => {
    const required = option.required ? ` (${localize(locale, 'commands.help.required')})` : '';
    const name = `\`${getOptionLabel(texts, option, where)}\`${required}`;
    return `- ${name} ${explainOption(option, texts, locale, where)}`;
  });
  return lines.join('\n');
}
