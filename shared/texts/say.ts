import { IntlMessageFormat } from 'intl-messageformat';
import type { Locale } from './locale.ts';
import { TEXTS, type Texts } from './texts.ts';

type Area = keyof Texts;

/** Area and name of a text: `commands.help.title`. */
export type TextKey = { [A in Area]: `${A}.${keyof Texts[A] & string}` }[Area];

/** What is put into a text. */
export type TextArgs = Readonly<Record<string, string | number>>;

const formats = new Map<string, IntlMessageFormat>();

/**
 * A text of the bot in a language. Every language has every text, or the types do not check. Throws when `args` lacks
 * something that the text names.
 */
export function say(locale: Locale, key: TextKey, args: TextArgs = {}): string {
  const id = `${locale}.${key}`;
  const known = formats.get(id);
  // Tags are for markup of web pages; here `<` is a character, as in `<@U1>`.
  const format =
    known ?? new IntlMessageFormat(patternOf(locale, key), locale, undefined, { ignoreTag: true });
  if (!known) formats.set(id, format);
  return String(format.format(args));
}

function patternOf(locale: Locale, key: TextKey): string {
  const dot = key.indexOf('.');
  const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = TEXTS[locale];
  const pattern = texts[key.slice(0, dot)]?.[key.slice(dot + 1)];
  if (pattern === undefined) throw new RangeError(`no text ${key} in ${locale}`);
  return pattern;
}
