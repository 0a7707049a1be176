import { hasTypedCommands } from '../../domain/index.ts';
import { type Locale, localize, getCommandName, type TypedCommandFormat } from '../../i18n/index.ts';
import type { OptionSpec, Texts } from '../framework/command-spec.ts';

/** Returns the name of an option as people type it. */
export function getOptionLabel(texts: Texts, { name }: OptionSpec, where: TypedCommandFormat): string {
  const labels = texts[`${name}.name`];
  return labels ? getCommandName(labels, where) : name;
}

/** Explains an option and its values in one paragraph: for `help`, and if the option is missing. */
export function explainOption(
  option: OptionSpec,
  texts: Texts,
  locale: Locale,
  where: TypedCommandFormat,
): string {
  const about = texts[`${option.name}.about`];
  const values = describeValidValues(option, texts, locale, where);
  if (!about || values === '') return about ? localize(locale, about) : values;
  // A list of values is a sentence, the others are parts of one: “yes or no”.
  return option.kind === 'text'
    ? `${localize(locale, about)}. ${values}`
    : `${localize(locale, about)} (${values})`;
}

/** Describes the valid values of an option; empty if any text is valid. */
function describeValidValues(
  option: OptionSpec,
  texts: Texts,
  locale: Locale,
  where: TypedCommandFormat,
): string {
  switch (option.kind) {
    case 'text': {
      const { choices = [] } = option;
      const values = choices.map((choice) =>
        formatChoiceText(choice, texts[`${option.name}=${choice}`], locale, where),
      );
      return values.length === 0
        ? ''
        : localize(locale, 'commands.help.values', { values: values.join(', ') });
    }
    case 'number': {
      const { min, max } = option;
      return localize(locale, option.decimal ? 'commands.help.not-a-number' : 'commands.help.not-whole', {
        least: min,
        most: max,
      });
    }
    case 'yes-no':
      return localize(locale, 'commands.help.not-yes-no');
    case 'user':
      return localize(locale, 'commands.help.person');
    case 'attachment':
      return '';
  }
}

/** The platform's own form shows only the label of a choice. Where people type its name, both are shown. */
function formatChoiceText(
  choice: string,
  labels: Texts[string] | undefined,
  locale: Locale,
  format: TypedCommandFormat,
): string {
  if (!labels) return `\`${choice}\``;
  const label = localize(locale, labels);
  if (!hasTypedCommands(format)) return label;
  return label === choice ? `\`${choice}\`` : `\`${choice}\` (${label})`;
}
