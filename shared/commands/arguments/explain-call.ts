import {
  type Locale,
  localize,
  formatOption,
  getCommandName,
  type TypedCommandFormat,
} from '../../i18n/index.ts';
import { explainOption, shownName } from './explain-option.ts';
import type { OptionConflict, BrokenRule } from '../framework/option-rules.ts';
import type { ParsedArguments, ArgumentError } from './parse-arguments.ts';
import type { OptionSpec, Texts } from '../framework/command-spec.ts';

/** Characters that are quoted of what somebody typed. */
const MAX_QUOTED_CHARACTERS = 50;

/** What is wrong with a call, as a sentence; `texts` are those of the command that was meant. */
export function describeArgumentError(
  asked: Exclude<ParsedArguments, { kind: 'command' | 'menu' | 'unknown' }> | BrokenRule,
  texts: Texts,
  locale: Locale,
  where: TypedCommandFormat,
): string {
  switch (asked.kind) {
    case 'wrong': {
      const { option, why } = asked;
      const name = shownName(texts, option, where);
      const explained = explainOption(option, texts, locale, where);
      // What each value means is told with them.
      if (why === 'not-a-choice')
        return localize(locale, 'commands.help.wrong', { option: name, why: explained });
      const wrong = localize(locale, 'commands.help.wrong', {
        option: name,
        why: reason(locale, option, why),
      });
      return why === 'missing' ? `${wrong}\n${explained}` : wrong;
    }
    case 'misplaced': {
      const { option, beside } = asked;
      return localize(
        locale,
        beside.need === 'absent' ? 'commands.help.not-with' : 'commands.help.only-with',
        {
          option: `\`${shownName(texts, option, where)}\``,
          with: besideText(texts, beside, where),
        },
      );
    }
    case 'extra': {
      const { near, text: typed } = asked;
      const isLong = typed.length > MAX_QUOTED_CHARACTERS;
      const text = isLong ? `${typed.slice(0, MAX_QUOTED_CHARACTERS - 1).toWellFormed()}…` : typed;
      if (!near) return localize(locale, 'commands.help.extra', { text });
      return localize(locale, 'commands.help.near', { text, near: `${shownName(texts, near, where)}:` });
    }
  }
}

/** How another option is given as it has to be: `do:set, do:grant`; its name alone where any value will do. */
function besideText(texts: Texts, { name, need }: OptionConflict, where: TypedCommandFormat): string {
  const said = texts[`${name}.name`];
  if (!said) return name;
  if (typeof need === 'string') return `\`${getCommandName(said, where)}\``;
  return need.map((value) => `\`${formatOption(said, value, where, texts[`${name}=${value}`])}\``).join(', ');
}

function reason(locale: Locale, option: OptionSpec, why: Exclude<ArgumentError, 'not-a-choice'>): string {
  return localize(locale, `commands.help.${why}`, bounds(option));
}

function bounds(option: OptionSpec): { readonly least: number; readonly most: number } {
  if (option.kind === 'number') return option;
  return { least: 0, most: option.kind === 'text' ? (option.most ?? 200) : 0 };
}
