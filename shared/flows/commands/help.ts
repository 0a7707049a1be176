import type { CardPart } from '../../conversation/index.ts';
import { type Locale, localeOf, say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { typedAs } from '../typed-as.ts';
import type { Asked } from './read.ts';
import { type CalledCommand, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec, type OptionSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'help',
  title: 'commands.help.name',
  platforms: BOTH,
  about: 'commands.help.about',
  options: [],
};

/** What there is to call on this platform. */
export const run: Run<CalledCommand> = (called, deps) => {
  const { invocation, locale, commands } = called;
  const here = commands.filter(({ platforms }) => platforms.includes(invocation.platform));
  const lines = here.map((one) => `- \`${usage(one, called, deps)}\` ${say(locale, one.about)}`);
  const parts: CardPart[] = [
    { kind: 'text', markdown: say(locale, 'commands.help.ask-me') },
    { kind: 'text', markdown: lines.join('\n') },
  ];
  return tell(called, { title: say(locale, 'commands.help.title'), parts }, deps);
};

/** What was wrong with a call, and how it is meant. */
export const correct: Run<
  CalledCommand & { readonly asked: Extract<Asked, { kind: 'wrong' | 'unknown' }> }
> = (called, deps, delivery) => {
  const { asked, locale } = called;
  if (asked.kind === 'unknown') {
    const unknown = say(locale, 'commands.help.unknown', { word: asked.word.slice(0, 50) });
    return tell(called, words(unknown, 'bad'), deps).then(() => run(called, deps, delivery));
  }
  const { spec: meant, option, why } = asked;
  const wrong = say(locale, 'commands.help.wrong', { option: option.name, why: reason(locale, option, why) });
  const meantAs = say(locale, 'commands.help.usage', { usage: usage(meant, called, deps) });
  return tell(called, words(`${wrong}\n${meantAs}`, 'bad'), deps);
};

function reason(locale: Locale, option: OptionSpec, why: Extract<Asked, { kind: 'wrong' }>['why']): string {
  const choices = option.kind === 'text' ? (option.choices ?? []).join(', ') : '';
  const { least, most } = bounds(option);
  return say(locale, `commands.help.${why}`, { choices, least, most });
}

function bounds(option: OptionSpec): { readonly least: number; readonly most: number } {
  if (option.kind === 'number') return option;
  return { least: 0, most: option.kind === 'text' ? (option.most ?? 200) : 0 };
}

/**
 * How a command is written: `/parley ask question [private]` in Slack; in Discord `/ask question [private]`, or `/fragen ...` where
 * that is what the caller is shown.
 */
function usage(
  { name, title, options }: CommandSpec,
  { invocation }: CalledCommand,
  { settings }: Pick<Deps, 'settings'>,
): string {
  const translated = invocation.platform === 'discord' ? title : undefined;
  const known = translated ? say(localeOf(invocation.by.locale), translated) : name;
  const first = typedAs(invocation.platform, known, settings);
  const taken = options.filter(({ kind }) => invocation.platform === 'discord' || kind !== 'attachment');
  return [first, ...taken.map((one) => (one.required ? one.name : `[${one.name}]`))].join(' ');
}
