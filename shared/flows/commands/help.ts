import type { CardPart } from '../../conversation/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { shownName, whatIsWrong } from './explain-call.ts';
import type { BrokenRule } from './option-rules.ts';
import type { Asked } from './read.ts';
import { type CalledCommand, type CommandFile, type Run, tell, words } from './run.ts';
import { type CommandSpec, isOn, type Texts, type TextsOf } from './spec.ts';
import { nameOf, typed, typingOf } from './typed.ts';

export const spec = { name: 'help', options: [] } as const satisfies CommandSpec;

/** Behind all that have a rank. */
const LAST = 100;

type Typed = CommandFile & { readonly spec: CommandSpec };

/** What there is to call on this platform. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { invocation, locale, commands } = called;
  const here = commands.filter(
    (one): one is Typed => one.spec !== undefined && isOn(one.spec, invocation.platform),
  );
  const first = here.toSorted((a, b) => (a.rank ?? LAST) - (b.rank ?? LAST));
  const pressable = (await deps.stage.pressable?.(invocation)) ?? new Map<string, string>();
  const written = (one: Typed): string => {
    const press = pressable.get(one.spec.name);
    if (!press) return `\`${usage(one, called, deps)}\``;
    const options = optionsOf(one, called).join(' ');
    return options === '' ? press : `${press} \`${options}\``;
  };
  const lines = first.map((one) => `- ${written(one)} ${aboutOf(one.texts, locale)}`);
  const parts: CardPart[] = [
    { kind: 'text', markdown: howToAsk(called, deps) },
    { kind: 'text', markdown: lines.join('\n') },
  ];
  return tell(called, { title: say(locale, 'commands.help.title'), parts }, deps);
};

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

const aboutOf = ({ about }: Texts, locale: Locale): string => (about ? say(locale, about) : '');

/** What was wrong with a call, and how it is meant. */
export const correct: Run<
  CalledCommand & { readonly asked: Exclude<Asked, { kind: 'command' | 'menu' }> | BrokenRule }
> = (called, deps, delivery) => {
  const { asked, locale, commands, invocation } = called;
  const meant =
    asked.kind === 'unknown' ? undefined : commands.find((one): one is Typed => one.spec === asked.spec);
  if (asked.kind === 'unknown' || !meant) {
    const word = asked.kind === 'unknown' ? asked.word : asked.spec.name;
    const unknown = say(locale, 'commands.help.unknown', { word: word.slice(0, 50) });
    return tell(called, words(unknown, 'bad'), deps).then(() => run(called, deps, delivery));
  }
  const where = typingOf(invocation);
  const meantAs = say(locale, 'commands.help.usage', { usage: usage(meant, called, deps) });
  return tell(called, words(`${whatIsWrong(asked, meant.texts, locale, where)}\n${meantAs}`, 'bad'), deps);
};

/** How a command is written: `/parley ask question [private]` in Slack; in Discord as the caller is shown it, `/fragen frage [privat]`. */
function usage(command: Typed, called: CalledCommand, { settings }: Pick<Deps, 'settings'>): string {
  const { name } = command.texts;
  const where = typingOf(called.invocation);
  return name ? typed(name, where, settings, ...optionsOf(command, called)) : command.spec.name;
}

function optionsOf(command: Typed, { invocation }: CalledCommand): string[] {
  const where = typingOf(invocation);
  const taken = command.spec.options.filter(
    ({ kind }) => where.platform === 'discord' || kind !== 'attachment',
  );
  return taken.map((option) => {
    const shown = shownName(command.texts, option, where);
    return option.required ? shown : `[${shown}]`;
  });
}

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
} satisfies TextsOf<typeof spec>;
