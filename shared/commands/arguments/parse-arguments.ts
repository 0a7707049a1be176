import { hasTypedCommands, type InteractionPayload, type PlatformName } from '../../domain/index.ts';
import { parseNumber, parseYesNo } from '../../settings/rules/index.ts';
import { isReference, replaceMentions } from './mentions.ts';
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

/** Whether a word, as `normalizeText` returns it, means a choice, whose own name it is not: people may type its label in any language. */
export type MatchChoice = (spec: CommandSpec, option: string, choice: string, word: string) => boolean;

/** Parses a command: its text where people type it, otherwise the options of the platform's form. Without `matchChoice` a choice has its own name alone. Never throws. */
export function parseCommand(
  payload: Extract<InteractionPayload, { kind: 'command' }>,
  platform: PlatformName,
  commands: readonly CommandSpec[],
  matchChoice: MatchChoice = () => false,
): ParsedArguments {
  const { text } = payload.options;
  const typed = hasTypedCommands({ platform }) && typeof text === 'string' ? text.trim() : undefined;
  if (typed === '') return { kind: 'menu' };
  const [, word = payload.name, rest = ''] = /^(\S+)\s*([\s\S]*)$/u.exec(typed ?? '') ?? [];
  const name = typed === undefined ? payload.name : word.normalize('NFKC').toLowerCase();
  const spec = commands.find((one) => one.name === name && isOnPlatform(one, platform));
  if (!spec) return { kind: 'unknown', word };
  const isChoice: IsChoice = (option, choice, label) => matchChoice(spec, option, choice, label);
  if (typed === undefined) return parseOptions(spec, payload.options, isChoice);
  const assigned = assignOptions(
    spec,
    rest,
    (option, value) => !('why' in parseWord(option, value, isChoice)),
  );
  return assigned.kind === 'given'
    ? parseOptions(spec, assigned.values, isChoice, replaceMentions)
    : { ...assigned, spec };
}

/** The same for one command. */
type IsChoice = (option: string, choice: string, word: string) => boolean;

/** `plain` converts texts that people read. */
function parseOptions(
  spec: CommandSpec,
  values: Readonly<Record<string, string | number | boolean>>,
  isChoice: IsChoice,
  plain = (text: string) => text,
): ParsedArguments {
  const options: Record<string, string | number | boolean> = {};
  for (const option of spec.options) {
    const value = values[option.name];
    if (value === undefined && option.required) return { kind: 'wrong', spec, option, why: 'missing' };
    if (value === undefined) continue;
    const isPlain = typeof value === 'string' && option.kind === 'text' && !option.mentions;
    const parsed = parseValue(option, isPlain ? plain(value) : value, isChoice);
    if ('why' in parsed) return { kind: 'wrong', spec, option, why: parsed.why };
    options[option.name] = parsed.value;
  }
  return { kind: 'command', spec, options };
}

type ParsedValue = { readonly value: string | number | boolean } | { readonly why: ArgumentError };

/** Parses a word that may belong to another option: only a mention or id is then a person. */
const parseWord = (option: OptionSpec, word: string, isChoice: IsChoice): ParsedValue =>
  option.kind === 'user' && !isReference(word) ? { why: 'missing' } : parseValue(option, word, isChoice);

function parseValue(option: OptionSpec, value: string | number | boolean, isChoice: IsChoice): ParsedValue {
  switch (option.kind) {
    case 'yes-no': {
      const parsed = typeof value === 'boolean' ? value : parseYesNo(String(value));
      return parsed === undefined ? { why: 'not-yes-no' } : { value: parsed };
    }
    case 'number':
      return readNumber(option, value);
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
        option.choices.find((one) => isChoice(option.name, one, word));
      return chosen ? { value: chosen } : { why: 'not-a-choice' };
    }
  }
}

/** Normalizes case, width and spaces. */
export const normalizeText = (text: string): string =>
  text.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ').replaceAll('’', "'").toLowerCase();

/** A number from a menu is one already; a typed one is parsed. */
function readNumber(
  { min: least, max, decimal }: Extract<OptionSpec, { kind: 'number' }>,
  value: string | number | boolean,
): ParsedValue {
  const number = typeof value === 'number' ? value : parseNumber(String(value), decimal !== true);
  if (!(number >= least && number <= max)) return { why: 'not-a-number' };
  return decimal === true || Number.isInteger(number) ? { value: number } : { why: 'not-whole' };
}
