import type { CardPart } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import type { Deps, Verdict } from '../ports.ts';
import {
  aboutOf,
  commandCard,
  findCommand,
  nearCommand,
  optionLines,
  optionsText,
  typedCommands,
  type TypedCommand,
  usageText,
} from './command-help.ts';
import { placeOfCall } from '../settings.ts';
import { withWayBack } from './back-home.ts';
import { whatIsWrong } from './explain-call.ts';
import type { BrokenRule } from './option-rules.ts';
import type { Asked } from './read.ts';
import { type CalledCommand, type Run, tell, words } from './run.ts';
import { withValues } from './setting-words.ts';
import type { CommandSpec, OptionSpec, TextsOf } from './spec.ts';
import { nameOf, typed, typingOf } from './typed.ts';

export const spec = {
  name: 'help',
  options: [{ name: 'command', kind: 'text', most: 60, rest: true }],
} as const satisfies CommandSpec;

/** Behind all that have a rank. */
const LAST = 100;

/** What there is to call on this platform, or how one of it is called. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { command } = called.options;
  if (command === undefined) return listCommands(called, deps);
  const found = findCommand(String(command), called, deps);
  return found
    ? tell(called, commandCard(found, called, deps), deps)
    : noSuchCommand(called, String(command), deps);
};

async function noSuchCommand(called: CalledCommand, word: string, deps: Deps): Promise<Verdict> {
  const { locale, invocation } = called;
  const shown = word.slice(0, 50);
  const name = nearCommand(word, called, deps)?.texts['name'];
  const near = name && typed(name, typingOf(invocation), deps.settings);
  const unknown =
    near === undefined
      ? say(locale, 'commands.help.unknown', { word: shown })
      : say(locale, 'commands.help.unknown-near', { word: shown, near });
  await tell(called, words(unknown, 'bad'), deps);
  return listCommands(called, deps);
}

async function listCommands(called: CalledCommand, deps: Deps): Promise<Verdict> {
  const { invocation, locale } = called;
  const where = typingOf(invocation);
  const first = typedCommands(called).toSorted((a, b) => (a.rank ?? LAST) - (b.rank ?? LAST));
  const pressable = (await deps.stage.pressable?.(invocation)) ?? new Map<string, string>();
  const written = (one: TypedCommand): string => {
    const press = pressable.get(one.spec.name);
    if (!press) return `\`${usageText(one, called, deps)}\``;
    const options = optionsText(one, where).join(' ');
    return options === '' ? press : `${press} \`${options}\``;
  };
  const lines = first.map((one) => `- ${written(one)} ${aboutOf(one.texts, locale)}`);
  const explained = typed(texts.name, where, deps.settings, nameOf(texts['command.name'], where));
  const parts: CardPart[] = [
    { kind: 'text', markdown: howToAsk(called, deps) },
    { kind: 'text', markdown: lines.join('\n') },
    { kind: 'note', markdown: say(locale, 'commands.help.more', { command: explained }) },
  ];
  return tell(called, withWayBack(called, { title: say(locale, 'commands.help.title'), parts }), deps);
}

/** Discord tells of messages only where the relay runs, which is not known here. */
function howToAsk({ invocation, locale, commands }: CalledCommand, { settings }: Deps): string {
  if (invocation.platform === 'slack') return say(locale, 'commands.help.ask-me');
  const where = typingOf(invocation);
  const ask = commands.find(({ spec: of }) => of?.name === 'ask')?.texts['name'];
  const onMessage = commands.find(({ onMessage: of }) => of?.name === 'ask-about')?.texts['onMessage'];
  return say(locale, 'commands.help.ask-by-command', {
    ask: ask ? typed(ask, where, settings) : '',
    menu: onMessage ? nameOf(onMessage, where) : '',
  });
}

/** What there is to name with an option: it is suggested where people type in Discord. */
async function knownValues(
  option: OptionSpec,
  { invocation }: CalledCommand,
  { chat, saved }: Pick<Deps, 'chat' | 'saved'>,
): Promise<readonly string[]> {
  const kind = option.kind === 'text' ? option.suggests : undefined;
  if (kind === undefined) return [];
  if (kind === 'model') return ((await chat.list?.()) ?? []).map(({ id }) => id);
  return (await saved.list(placeOfCall(invocation), kind)).map(({ name }) => name);
}

/** What was wrong with a call, and how it is meant. */
export const correct: Run<
  CalledCommand & { readonly asked: Exclude<Asked, { kind: 'command' | 'menu' }> | BrokenRule }
> = async (called, deps) => {
  const { asked, locale, commands, invocation } = called;
  const meant =
    asked.kind === 'unknown'
      ? undefined
      : commands.find((one): one is TypedCommand => one.spec === asked.spec);
  if (asked.kind === 'unknown' || !meant) {
    return noSuchCommand(called, asked.kind === 'unknown' ? asked.word : asked.spec.name, deps);
  }
  const where = typingOf(invocation);
  const meantAs = say(locale, 'commands.help.usage', { usage: usageText(meant, called, deps) });
  const wrong = whatIsWrong(asked, meant.texts, locale, where);
  const known =
    asked.kind === 'wrong' && asked.why === 'missing' ? await knownValues(asked.option, called, deps) : [];
  // Whoever types what no option takes is told all that there are.
  const options =
    asked.kind === 'extra' && !asked.near ? `\n${optionLines(meant.spec, meant.texts, locale, where)}` : '';
  return tell(called, words(`${withValues(wrong, known, locale)}\n${meantAs}${options}`, 'bad'), deps);
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
