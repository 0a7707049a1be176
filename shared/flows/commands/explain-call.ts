import { type Locale, say } from '../../texts/index.ts';
import { explainOption, shownName } from './explain-option.ts';
import type { Beside, BrokenRule } from './option-rules.ts';
import type { Asked, Wrong } from './read.ts';
import type { OptionSpec, Texts } from './spec.ts';
import { given, nameOf, type Typing } from './typed.ts';

/** Characters that are quoted of what somebody typed. */
const MAX_QUOTED_CHARACTERS = 50;

/** What is wrong with a call, as a sentence; `texts` are those of the command that was meant. */
export function whatIsWrong(
  asked: Exclude<Asked, { kind: 'command' | 'menu' | 'unknown' }> | BrokenRule,
  texts: Texts,
  locale: Locale,
  where: Typing,
): string {
  switch (asked.kind) {
    case 'wrong': {
      const { option, why } = asked;
      const name = shownName(texts, option, where);
      const explained = explainOption(option, texts, locale, where);
      // What each value means is told with them.
      if (why === 'not-a-choice') return say(locale, 'commands.help.wrong', { option: name, why: explained });
      const wrong = say(locale, 'commands.help.wrong', { option: name, why: reason(locale, option, why) });
      return why === 'missing' ? `${wrong}\n${explained}` : wrong;
    }
    case 'misplaced': {
      const { option, beside } = asked;
      return say(locale, beside.need === 'absent' ? 'commands.help.not-with' : 'commands.help.only-with', {
        option: `\`${shownName(texts, option, where)}\``,
        with: besideText(texts, beside, where),
      });
    }
    case 'extra': {
      const { near, text: typed } = asked;
      const isLong = typed.length > MAX_QUOTED_CHARACTERS;
      const text = isLong ? `${typed.slice(0, MAX_QUOTED_CHARACTERS - 1).toWellFormed()}…` : typed;
      if (!near) return say(locale, 'commands.help.extra', { text });
      return say(locale, 'commands.help.near', { text, near: `${shownName(texts, near, where)}:` });
    }
  }
}

/** How another option is given as it has to be: `do:set, do:grant`; its name alone where any value will do. */
function besideText(texts: Texts, { name, need }: Beside, where: Typing): string {
  const said = texts[`${name}.name`];
  if (!said) return name;
  if (typeof need === 'string') return `\`${nameOf(said, where)}\``;
  return need.map((value) => `\`${given(said, value, where, texts[`${name}=${value}`])}\``).join(', ');
}

function reason(locale: Locale, option: OptionSpec, why: Exclude<Wrong, 'not-a-choice'>): string {
  return say(locale, `commands.help.${why}`, bounds(option));
}

function bounds(option: OptionSpec): { readonly least: number; readonly most: number } {
  if (option.kind === 'number') return option;
  return { least: 0, most: option.kind === 'text' ? (option.most ?? 200) : 0 };
}
