import {
  type Locale,
  localize,
  formatOption,
  getCommandName,
  type TypedCommandFormat,
} from '../../i18n/index.ts';
import { explainOption, getOptionLabel } from './explain-option.ts';
import type { OptionConflict, BrokenRule } from '../framework/option-rules.ts';
import type { ParsedArguments, ArgumentError } from './parse-arguments.ts';
import type { OptionSpec, Texts } from '../framework/command-spec.ts';

/** Longer input is shortened in the quote. */
const MAX_QUOTED_CHARACTERS = 50;

/** Describes in a sentence what is wrong with a command's arguments. `texts` are those of the command. */
export function describeArgumentError(
  error: Exclude<ParsedArguments, { kind: 'command' | 'menu' | 'unknown' }> | BrokenRule,
  texts: Texts,
  locale: Locale,
  where: TypedCommandFormat,
): string {
  switch (error.kind) {
    case 'wrong': {
      const { option, why } = error;
      const name = getOptionLabel(texts, option, where);
      const explained = explainOption(option, texts, locale, where);
      const wrong = localize(locale, 'commands.help.wrong', {
        option: name,
        why: describeReason(locale, option, why),
      });
      return why === 'missing' || why === 'not-a-choice' ? `${wrong}\n${explained}` : wrong;
    }
    case 'misplaced': {
      const { option, beside } = error;
      return localize(
        locale,
        beside.need === 'absent' ? 'commands.help.not-with' : 'commands.help.only-with',
        {
          option: `\`${getOptionLabel(texts, option, where)}\``,
          with: formatNeed(texts, beside, where, locale),
        },
      );
    }
    case 'extra': {
      const { near, text: typed } = error;
      const isLong = typed.length > MAX_QUOTED_CHARACTERS;
      const text = isLong ? `${typed.slice(0, MAX_QUOTED_CHARACTERS - 1).toWellFormed()}…` : typed;
      if (!near) return localize(locale, 'commands.help.extra', { text });
      return localize(locale, 'commands.help.near', { text, near: `${getOptionLabel(texts, near, where)}:` });
    }
  }
}

/** Formats the required values of another option: `do:set or do:grant`; only its name if any value is valid. */
function formatNeed(
  texts: Texts,
  { name, need }: OptionConflict,
  where: TypedCommandFormat,
  locale: Locale,
): string {
  const labels = texts[`${name}.name`];
  if (!labels) return name;
  if (typeof need === 'string') return `\`${getCommandName(labels, where)}\``;
  return new Intl.ListFormat(locale, { type: 'disjunction' }).format(
    need.map((value) => `\`${formatOption(labels, value, where, texts[`${name}=${value}`])}\``),
  );
}

function describeReason(locale: Locale, option: OptionSpec, why: ArgumentError): string {
  const { min, max } = getBounds(option);
  return localize(locale, `commands.help.${why}`, { least: min, most: max });
}

function getBounds(option: OptionSpec): { readonly min: number; readonly max: number } {
  if (option.kind === 'number') return option;
  return { min: 0, max: option.kind === 'text' ? (option.max ?? 200) : 0 };
}
