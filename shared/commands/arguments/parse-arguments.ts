import { hasTypedCommands, type InteractionPayload, type PlatformName } from '../../domain/index.ts';
import { parseYesNo } from '../../settings/rules/index.ts';
import { isReference, withoutMentions } from './mentions.ts';
import { type CommandSpec, isOnPlatform, type Options, type OptionSpec } from '../framework/command-spec.ts';
import { assignOptions } from './assign-options.ts';

/** The result of parsing a command. */
export type ParsedArguments =
  | { readonly kind: 'command'; readonly spec: CommandSpec; readonly options: Options }
  /** Slack's slash command without text. */
  | { readonly kind: 'menu' }
  | { readonly kind: 'unknown'; readonly word: string }
  | {
      readonly kind: 'wrong';
      readonly spec: CommandSpec;
      readonly option: OptionSpec;
      readonly why: ArgumentError;
    }
  /** Words that belong to no option. `near`: the option with a similar name. */
  | {
      readonly kind: 'extra';
      readonly spec: CommandSpec;
      readonly text: string;
      readonly near?: OptionSpec | undefined;
    };

export type ArgumentError =
  | 'missing'
  | 'not-a-choice'
  | 'not-a-number'
  | 'not-whole'
  | 'not-yes-no'
  | 'too-long'
  | 'twice'
  | 'empty'
  | 'unclosed';

/** Lists the labels of a choice in every language, which people may type too. */
export type ListChoiceLabels = (spec: CommandSpec, option: string, choice: string) => readonly string[];

/** Parses a command: its text where people type it, otherwise the options of the platform's form. Without `listChoiceLabels` a choice has its own name alone. Never throws. */
export function parseCommand(
  payload: Extract<InteractionPayload, { kind: 'command' }>,
  platform: PlatformName,
  commands: readonly CommandSpec[],
  choiceWords: ListChoiceLabels = () => [],
): ParsedArguments {
  const { text } = payload.options;
  const typed = hasTypedCommands({ platform }) && typeof text === 'string' ? text.trim() : undefined;
  if (typed === '') return { kind: 'menu' };
  const [, word = payload.name, rest = ''] = /^(\S+)\s*([\s\S]*)$/u.exec(typed ?? '') ?? [];
  const name = typed === undefined ? payload.name : word.normalize('NFKC').toLowerCase();
  const spec = commands.find((one) => one.name === name && isOnPlatform(one, platform));
  if (!spec) return { kind: 'unknown', word };
  const wordsOf: GetChoiceLabels = (option, choice) => choiceWords(spec, option, choice);
  if (typed === undefined) return parseOptions(spec, payload.options, wordsOf);
  const assigned = assignOptions(
    spec,
    rest,
    (option, value) => !('why' in parseWord(option, value, wordsOf)),
  );
  return assigned.kind === 'given'
    ? parseOptions(spec, assigned.values, wordsOf, withoutMentions)
    : { ...assigned, spec };
}

/** The same for one command. */
type GetChoiceLabels = (option: string, choice: string) => readonly string[];

/** `plain` converts texts that people read. */
function parseOptions(
  spec: CommandSpec,
  values: Readonly<Record<string, string | number | boolean>>,
  wordsOf: GetChoiceLabels,
  plain = (text: string) => text,
): ParsedArguments {
  const options: Record<string, string | number | boolean> = {};
  for (const option of spec.options) {
    const value = values[option.name];
    if (value === undefined && option.required) return { kind: 'wrong', spec, option, why: 'missing' };
    if (value === undefined) continue;
    const isPlain = typeof value === 'string' && option.kind === 'text' && !option.mentions;
    const parsed = parseValue(option, isPlain ? plain(value) : value, wordsOf);
    if ('why' in parsed) return { kind: 'wrong', spec, option, why: parsed.why };
    options[option.name] = parsed.value;
  }
  return { kind: 'command', spec, options };
}

type ParsedValue = { readonly value: string | number | boolean } | { readonly why: ArgumentError };

/** Parses a word that may belong to another option: only a mention or id is then a person. */
const parseWord = (option: OptionSpec, word: string, wordsOf: GetChoiceLabels): ParsedValue =>
  option.kind === 'user' && !isReference(word) ? { why: 'missing' } : parseValue(option, word, wordsOf);

function parseValue(
  option: OptionSpec,
  value: string | number | boolean,
  wordsOf: GetChoiceLabels,
): ParsedValue {
  switch (option.kind) {
    case 'yes-no': {
      const parsed = typeof value === 'boolean' ? value : parseYesNo(String(value));
      return parsed === undefined ? { why: 'not-yes-no' } : { value: parsed };
    }
    case 'number':
      return parseNumber(option, value);
    case 'user':
    case 'attachment':
      return { value: String(value) };
    case 'text': {
      const text = String(value);
      if (text.length > (option.max ?? 200)) return { why: 'too-long' };
      if (!option.choices) return { value: text };
      const word = normalizeText(text);
      const chosen =
        option.choices.find((one) => one === word) ??
        option.choices.find((one) =>
          wordsOf(option.name, one).some((words) => normalizeText(words) === word),
        );
      return chosen ? { value: chosen } : { why: 'not-a-choice' };
    }
  }
}

/** Normalizes case, width and spaces. */
const normalizeText = (text: string): string =>
  text.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ').replaceAll('’', "'").toLowerCase();

/** Also parses a decimal comma (`0,5`) and full-width digits. */
function parseNumber(
  { min: least, max, decimal }: Extract<OptionSpec, { kind: 'number' }>,
  value: string | number | boolean,
): ParsedValue {
  const written = String(value).normalize('NFKC').trim().replace(',', '.');
  const number = /^[+-]?\d{1,15}(?:\.\d{1,15})?$/u.test(written) ? Number(written) : Number.NaN;
  if (!(number >= least && number <= max)) return { why: 'not-a-number' };
  return decimal === true || Number.isInteger(number) ? { value: number } : { why: 'not-whole' };
}
