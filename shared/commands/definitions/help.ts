import type { CommandsContext } from '../context.ts';
import type { CardPart, TaskResult } from '../../domain/index.ts';
import { localize, getCommandName, formatCommand, getCommandFormat, helpLabel } from '../../i18n/index.ts';
import { getInteractionSettingsPlace, appendValues } from '../../settings/index.ts';
import {
  getDescription,
  createCommandCard,
  findCommand,
  findSimilarCommand,
  formatOptionLines,
  formatOptions,
  listTypedCommands,
  type TypedCommand,
  formatUsage,
} from '../arguments/command-help.ts';
import { withBackButton } from '../framework/back-to-home.ts';
import { describeArgumentError } from '../arguments/describe-argument-error.ts';
import { isCommandOn } from '../framework/is-command-on.ts';
import type { BrokenRule } from '../framework/option-rules.ts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { type CommandRequest, type CommandHandler, replyCard, textCard } from '../framework/types.ts';
import { type CommandSpec, isOnPlatform, type OptionSpec, type TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'help',
  options: [{ name: 'command', kind: 'text', max: 60, rest: true }],
} as const satisfies CommandSpec;

/** Follows all commands with a `helpOrder`. */
const LAST_POSITION = 100;

/** Lists the commands of this platform that are on for the person, or explains one. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { command } = request.options;
  if (command === undefined) return listCommands(request, context);
  const file = findCommand(String(command), request, context);
  return file
    ? replyCard(request, createCommandCard(file, request, context), context)
    : replyUnknownCommand(request, String(command), context);
};

async function replyUnknownCommand(
  request: CommandRequest,
  word: string,
  context: CommandsContext,
): Promise<TaskResult> {
  const { locale, interaction } = request;
  const command = findCommand(word, request, context);
  // A command that nobody can type here, such as `transcribe` in Slack: its card says where it is.
  if (command && !(command.spec && isOnPlatform(command.spec, interaction.platform)))
    return replyCard(request, createCommandCard(command, request, context), context);
  const quotedWord = word.slice(0, 50);
  const name = findSimilarCommand(word, request, context)?.texts['name'];
  const similarUsage = name && formatCommand(name, getCommandFormat(interaction), context.settings);
  const sentence =
    similarUsage === undefined
      ? localize(locale, 'commands.help.unknown', { word: quotedWord })
      : localize(locale, 'commands.help.unknown-near', { word: quotedWord, near: similarUsage });
  await replyCard(request, textCard(sentence, 'bad'), context);
  return listCommands(request, context);
}

async function listCommands(request: CommandRequest, context: CommandsContext): Promise<TaskResult> {
  const { interaction, locale } = request;
  const where = getCommandFormat(interaction);
  const commands = listTypedCommands(request)
    .filter(({ spec: of }) => isCommandOn(of.name, request, context))
    .toSorted((a, b) => (a.helpOrder ?? LAST_POSITION) - (b.helpOrder ?? LAST_POSITION));
  const mentions = await context.messenger.commandMentions(interaction);
  const formatCommandLine = (one: TypedCommand): string => {
    const mention = mentions.get(one.spec.name);
    if (!mention) return `\`${formatUsage(one, request, context)}\``;
    const options = formatOptions(one, where).join(' ');
    return options === '' ? mention : `${mention} \`${options}\``;
  };
  const lines = commands.map((one) => `- ${formatCommandLine(one)} ${getDescription(one.texts, locale)}`);
  const helpUsage = formatCommand(
    texts.name,
    where,
    context.settings,
    getCommandName(texts['command.name'], where),
  );
  const parts: CardPart[] = [
    { kind: 'text', markdown: describeHowToAsk(request, context) },
    { kind: 'text', markdown: lines.join('\n') },
    { kind: 'note', markdown: localize(locale, 'commands.help.more', { command: helpUsage }) },
  ];
  return replyCard(
    request,
    withBackButton(request, { title: localize(locale, 'commands.help.title'), parts }),
    context,
  );
}

/** On Discord, mentions reach the bot only through the relay. Here it is unknown whether it runs, so commands are shown. */
function describeHowToAsk(
  { interaction, locale, commands }: CommandRequest,
  { settings }: CommandsContext,
): string {
  if (interaction.platform === 'slack') return localize(locale, 'commands.help.ask-me');
  const where = getCommandFormat(interaction);
  const ask = commands.find(({ spec: of }) => of?.name === 'ask')?.texts['name'];
  const messageCommand = commands.find(({ messageCommand: of }) => of?.name === 'ask-about')?.texts[
    'messageCommand'
  ];
  return localize(locale, 'commands.help.ask-by-command', {
    ask: ask ? formatCommand(ask, where, settings) : '',
    menu: messageCommand ? getCommandName(messageCommand, where) : '',
  });
}

/** Lists the values that exist for an option, as Discord's autocompletion does. */
async function listKnownValues(
  option: OptionSpec,
  { interaction }: CommandRequest,
  { chat, presets }: Pick<CommandsContext, 'chat' | 'presets'>,
): Promise<readonly string[]> {
  const kind = option.kind === 'text' ? option.suggests : undefined;
  if (kind === undefined) return [];
  if (kind === 'model') return (await chat.listModels()).map(({ id }) => id);
  return (await presets.list(getInteractionSettingsPlace(interaction), kind)).map(({ name }) => name);
}

/** Explains what is wrong with a typed command, and shows its usage. */
export const replyUsageError: CommandHandler<
  CommandRequest & {
    readonly usageError: Exclude<ParsedArguments, { kind: 'command' | 'menu' }> | BrokenRule;
  }
> = async (request, context) => {
  const { usageError: error, locale, commands, interaction } = request;
  if (error.kind === 'unknown') return replyUnknownCommand(request, error.word, context);
  const command = commands.find((one): one is TypedCommand => one.spec === error.spec);
  if (!command) return replyUnknownCommand(request, error.spec.name, context);
  const format = getCommandFormat(interaction);
  const usage = localize(locale, 'commands.help.usage', { usage: formatUsage(command, request, context) });
  const sentence = describeArgumentError(error, command.texts, locale, format);
  const isMissing = error.kind === 'wrong' && error.why === 'missing';
  const knownValues = isMissing ? await listKnownValues(error.option, request, context) : [];
  // For words that belong to no option, all options are shown.
  const options =
    error.kind === 'extra' && !error.near
      ? `\n${formatOptionLines(command.spec, command.texts, locale, format)}`
      : '';
  return replyCard(
    request,
    textCard(`${appendValues(sentence, knownValues, locale)}\n${usage}${options}`, 'bad'),
    context,
  );
};

export const texts = {
  name: helpLabel,
  about: {
    en: 'What I can do, and how',
    de: 'Was ich kann, und wie',
    fr: 'Ce que je sais faire, et comment',
    es: 'Qué puedo hacer y cómo',
    pt: 'O que sei fazer, e como',
    ja: 'できることと使い方',
    ko: '할 수 있는 일과 방법',
    zh: '我能做什么、怎么用',
  },
  'command.name': {
    en: 'command',
    de: 'befehl',
    fr: 'commande',
    es: 'comando',
    pt: 'comando',
    ja: 'コマンド',
    ko: '명령어',
    zh: '命令',
  },
  'command.about': {
    en: 'The command to explain',
    de: 'Der Befehl, der erklärt werden soll',
    fr: 'La commande à expliquer',
    es: 'El comando que se explica',
    pt: 'O comando a explicar',
    ja: '説明を見たいコマンド',
    ko: '설명할 명령어',
    zh: '要说明的命令',
  },
} satisfies TextsOf<typeof spec>;
