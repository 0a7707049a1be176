import type { CommandsContext } from '../context.ts';
import type { CardPart, TaskResult } from '../../domain/index.ts';
import { localize, getCommandName, formatCommand, getCommandFormat } from '../../i18n/index.ts';
import { getInteractionSettingsPlace, appendValues } from '../../settings/index.ts';
import {
  commandDescription,
  commandCard,
  findCommand,
  nearCommand,
  optionLines,
  optionsText,
  typedCommands,
  type TypedCommand,
  usageText,
} from '../arguments/command-help.ts';
import { withBackButton } from '../framework/back-to-home.ts';
import { describeArgumentError } from '../arguments/explain-call.ts';
import type { BrokenRule } from '../framework/option-rules.ts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { type CommandContext, type CommandRun, replyCard, textCard } from '../framework/types.ts';
import type { CommandSpec, OptionSpec, TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'help',
  options: [{ name: 'command', kind: 'text', most: 60, rest: true }],
} as const satisfies CommandSpec;

/** Behind all that have a rank. */
const LAST = 100;

/** What there is to call on this platform, or how one of it is called. */
export const run: CommandRun<CommandContext> = async (called, context) => {
  const { command } = called.options;
  if (command === undefined) return listCommands(called, context);
  const found = findCommand(String(command), called, context);
  return found
    ? replyCard(called, commandCard(found, called, context), context)
    : noSuchCommand(called, String(command), context);
};

async function noSuchCommand(
  called: CommandContext,
  word: string,
  context: CommandsContext,
): Promise<TaskResult> {
  const { locale, invocation } = called;
  const shown = word.slice(0, 50);
  const name = nearCommand(word, called, context)?.texts['name'];
  const near = name && formatCommand(name, getCommandFormat(invocation), context.settings);
  const unknown =
    near === undefined
      ? localize(locale, 'commands.help.unknown', { word: shown })
      : localize(locale, 'commands.help.unknown-near', { word: shown, near });
  await replyCard(called, textCard(unknown, 'bad'), context);
  return listCommands(called, context);
}

async function listCommands(called: CommandContext, context: CommandsContext): Promise<TaskResult> {
  const { invocation, locale } = called;
  const where = getCommandFormat(invocation);
  const first = typedCommands(called).toSorted((a, b) => (a.rank ?? LAST) - (b.rank ?? LAST));
  const pressable = await context.messenger.commandMentions(invocation);
  const written = (one: TypedCommand): string => {
    const press = pressable.get(one.spec.name);
    if (!press) return `\`${usageText(one, called, context)}\``;
    const options = optionsText(one, where).join(' ');
    return options === '' ? press : `${press} \`${options}\``;
  };
  const lines = first.map((one) => `- ${written(one)} ${commandDescription(one.texts, locale)}`);
  const explained = formatCommand(
    texts.name,
    where,
    context.settings,
    getCommandName(texts['command.name'], where),
  );
  const parts: CardPart[] = [
    { kind: 'text', markdown: howToAsk(called, context) },
    { kind: 'text', markdown: lines.join('\n') },
    { kind: 'note', markdown: localize(locale, 'commands.help.more', { command: explained }) },
  ];
  return replyCard(
    called,
    withBackButton(called, { title: localize(locale, 'commands.help.title'), parts }),
    context,
  );
}

/** Discord tells of messages only where the relay runs, which is not known here. */
function howToAsk({ invocation, locale, commands }: CommandContext, { settings }: CommandsContext): string {
  if (invocation.platform === 'slack') return localize(locale, 'commands.help.ask-me');
  const where = getCommandFormat(invocation);
  const ask = commands.find(({ spec: of }) => of?.name === 'ask')?.texts['name'];
  const onMessage = commands.find(({ onMessage: of }) => of?.name === 'ask-about')?.texts['onMessage'];
  return localize(locale, 'commands.help.ask-by-command', {
    ask: ask ? formatCommand(ask, where, settings) : '',
    menu: onMessage ? getCommandName(onMessage, where) : '',
  });
}

/** What there is to name with an option: it is suggested where people type in Discord. */
async function knownValues(
  option: OptionSpec,
  { invocation }: CommandContext,
  { chat, presets: saved }: Pick<CommandsContext, 'chat' | 'presets'>,
): Promise<readonly string[]> {
  const kind = option.kind === 'text' ? option.suggests : undefined;
  if (kind === undefined) return [];
  if (kind === 'model') return (await chat.listModels()).map(({ id }) => id);
  return (await saved.list(getInteractionSettingsPlace(invocation), kind)).map(({ name }) => name);
}

/** What was wrong with a call, and how it is meant. */
export const correct: CommandRun<
  CommandContext & { readonly asked: Exclude<ParsedArguments, { kind: 'command' | 'menu' }> | BrokenRule }
> = async (called, context) => {
  const { asked, locale, commands, invocation } = called;
  const meant =
    asked.kind === 'unknown'
      ? undefined
      : commands.find((one): one is TypedCommand => one.spec === asked.spec);
  if (asked.kind === 'unknown' || !meant) {
    return noSuchCommand(called, asked.kind === 'unknown' ? asked.word : asked.spec.name, context);
  }
  const where = getCommandFormat(invocation);
  const meantAs = localize(locale, 'commands.help.usage', { usage: usageText(meant, called, context) });
  const wrong = describeArgumentError(asked, meant.texts, locale, where);
  const known =
    asked.kind === 'wrong' && asked.why === 'missing' ? await knownValues(asked.option, called, context) : [];
  // Whoever types what no option takes is told all that there are.
  const options =
    asked.kind === 'extra' && !asked.near ? `\n${optionLines(meant.spec, meant.texts, locale, where)}` : '';
  return replyCard(
    called,
    textCard(`${appendValues(wrong, known, locale)}\n${meantAs}${options}`, 'bad'),
    context,
  );
};

export const texts = {
  name: {
    en: 'help',
    de: 'hilfe',
    fr: 'aide',
    es: 'ayuda',
    pt: 'ajuda',
    ja: 'ヘルプ',
    ko: '도움말',
    zh: '帮助',
  },
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
