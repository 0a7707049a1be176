import { isSimilar } from './similar-words.ts';
import type { CommandSpec, OptionSpec } from '../framework/command-spec.ts';

/** The typed values of a command's options by name, or the first error. */
export type TypedOptions =
  | { readonly kind: 'given'; readonly values: Readonly<Record<string, string>> }
  | {
      readonly kind: 'wrong';
      readonly option: OptionSpec;
      readonly why: 'twice' | 'empty' | 'unclosed' | 'not-a-choice';
    }
  /** Words that belong to no option. `near`: the option with a similar name. */
  | { readonly kind: 'extra'; readonly text: string; readonly near?: OptionSpec | undefined };

/** Returns whether a text is a valid value of an option. */
export type IsValue = (option: OptionSpec, text: string) => boolean;

type Token = {
  readonly text: string;
  /** The spaces before it. */
  readonly gap: string;
  /** The name before the colon. */
  readonly name?: string | undefined;
  /** The value after the colon, or inside the quotes of the whole token; undefined if there is neither. */
  readonly value?: string | undefined;
  /** Whether a quote after the colon is not closed. */
  readonly isUnclosed: boolean;
};

/** Keyboards replace straight quotes with the typographic ones of each language. */
const DOUBLE_QUOTES = '"“”„‟＂';
const CLOSING_QUOTES: ReadonlyMap<string, string> = new Map([
  ...Array.from(DOUBLE_QUOTES, (quote) => [quote, DOUBLE_QUOTES] as const),
  ['«', '»'],
  ['「', '」'],
  ['『', '』'],
]);

const NAME = /(\p{L}[\p{L}\p{N}_-]*)[:：]/uy;
/** A word ends at a space. A Slack mention, whose label may contain spaces, is one word. */
const WORD = /(?:<[^<>\n]*>|\S)+/uy;
const GAP = /\s*/uy;

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Matches a quoted value up to a closing quote at the end of a word. */
function matchQuoted(
  text: string,
  from: number,
): { readonly value: string; readonly end: number } | undefined {
  const closing = CLOSING_QUOTES.get(text.charAt(from));
  if (closing === undefined) return undefined;
  for (let at = from + 1; at < text.length; at += 1)
    if (closing.includes(text.charAt(at)) && !/\S/u.test(text.charAt(at + 1)))
      return { value: text.slice(from + 1, at), end: at + 1 };
  return undefined;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    const gap = execAt(GAP, text, at)?.[0] ?? '';
    const start = at + gap.length;
    if (start >= text.length) return tokens;
    const [prefix = '', name] = execAt(NAME, text, start) ?? [];
    const from = start + prefix.length;
    const quoted = matchQuoted(text, from);
    const word = quoted ? undefined : execAt(WORD, text, from)?.[0];
    at = quoted?.end ?? from + (word ?? '').length;
    tokens.push({
      text: text.slice(start, at),
      gap,
      name,
      value: quoted?.value ?? (name === undefined ? undefined : word),
      isUnclosed: name !== undefined && !quoted && CLOSING_QUOTES.has(text.charAt(from)),
    });
  }
}

/** Returns the word without quotes around the whole token. */
const getWord = ({ text, name, value }: Token): string => (name === undefined ? (value ?? text) : text);

const joinTokens = (tokens: readonly Token[]): string => {
  const [first, ...others] = tokens;
  if (!first) return '';
  return others.length === 0
    ? getWord(first)
    : first.text + others.map(({ gap, text }) => gap + text).join('');
};

const isFreeText = (option: OptionSpec): boolean => option.kind === 'text' && option.choices === undefined;
const isRestOption = (option: OptionSpec): boolean => option.kind === 'text' && option.rest === true;

/**
 * Assigns the text after a command to its options: `name:value` and `name:"several words"` by name, in any case and with any
 * quotes; each other word to the first option for which it is valid. If an option takes the rest, an unknown name before a
 * colon counts as a word. Never throws.
 */
export function assignOptions({ options }: CommandSpec, text: string, isValid: IsValue): TypedOptions {
  const typed = options.filter(({ kind }) => kind !== 'attachment');
  const named = assignNamed(typed, tokenize(text), isValid);
  return named.kind === 'left' ? assignWords(typed, named.values, named.left, isValid) : named;
}

type AssignmentError = Exclude<TypedOptions, { readonly kind: 'given' }>;
type NamedResult = {
  readonly kind: 'left';
  readonly values: Record<string, string>;
  readonly left: readonly Token[];
};

/** Assigns the tokens that name an option. */
function assignNamed(
  options: readonly OptionSpec[],
  tokens: readonly Token[],
  isValid: IsValue,
): NamedResult | AssignmentError {
  const values: Record<string, string> = {};
  const left: Token[] = [];
  const takesAll = options.some(isRestOption);
  for (let at = 0; at < tokens.length;) {
    const [token, next] = tokens.slice(at);
    if (!token) break;
    at += 1;
    const name = token.name?.normalize('NFKC').toLowerCase();
    const option = options.find((one) => one.name === name);
    const isInside = takesAll && at > 1 && at < tokens.length;
    const near = option || isInside ? undefined : options.find((one) => isSimilar(one.name, name));
    if (near) return { kind: 'extra', text: token.text, near };
    const nextWord = next && next.name === undefined ? getWord(next) : undefined;
    const mayBeWord = token.value === undefined && takesAll && next !== undefined;
    if (!option || (mayBeWord && !isValueWord(option, nextWord, isValid))) {
      left.push(token);
      continue;
    }
    const value = token.value ?? nextWord;
    const why = findValueError(option, value, token, values);
    if (why) return { kind: 'wrong', option, why };
    values[option.name] = value ?? '';
    if (token.value === undefined) at += 1;
  }
  return { kind: 'left', values: values, left };
}

/** If an option takes the rest, `model: fast` are words of it, but `private: yes` is an option. */
const isValueWord = (option: OptionSpec, word: string | undefined, isValid: IsValue): boolean =>
  word !== undefined && !isFreeText(option) && isValid(option, word);

function findValueError(
  option: OptionSpec,
  value: string | undefined,
  { isUnclosed }: Token,
  values: Readonly<Record<string, string>>,
): 'twice' | 'empty' | 'unclosed' | undefined {
  if (option.name in values) return 'twice';
  if (isUnclosed) return 'unclosed';
  return value === undefined || value.trim() === '' ? 'empty' : undefined;
}

/** Assigns each remaining word to the first option for which it is valid. */
function assignWords(
  options: readonly OptionSpec[],
  values: Record<string, string>,
  left: readonly Token[],
  isValid: IsValue,
): TypedOptions {
  let last: { readonly option: OptionSpec; readonly at: number } | undefined;
  for (const [at, token] of left.entries()) {
    const open = options.filter(({ name }) => !(name in values));
    const word = getWord(token);
    const getWordFor = (one: OptionSpec): string => (isRestOption(one) ? joinTokens(left.slice(at)) : word);
    // A mention belongs to an option for people, even after an option for any text.
    const option =
      open.find((one) => one.kind === 'user' && isValid(one, word)) ??
      open.find((one) => isFreeText(one) || one.required === true || isValid(one, getWordFor(one)));
    const [first] = options;
    const isAction = at === 0 && first !== undefined && open.includes(first) && !isFreeText(first);
    if (isAction && first !== option && (!option || isFreeText(option)))
      return token.name === undefined
        ? { kind: 'wrong', option: first, why: 'not-a-choice' }
        : { kind: 'extra', text: token.text };
    if (option && isRestOption(option))
      return { kind: 'given', values: { ...values, [option.name]: joinTokens(left.slice(at)) } };
    if (!option) {
      // Extra words belong to the last option if it accepts any text: `$5 a day`.
      if (last?.at !== at - 1 || !isFreeText(last.option))
        return { kind: 'extra', text: joinTokens(left.slice(at)) };
      return { kind: 'given', values: { ...values, [last.option.name]: joinTokens(left.slice(last.at)) } };
    }
    values[option.name] = word;
    last = { option, at };
  }
  return { kind: 'given', values };
}
