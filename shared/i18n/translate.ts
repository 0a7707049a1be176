import { IntlMessageFormat } from 'intl-messageformat';
import type { Locale, LocalizedText } from './locale.ts';
import { TEXTS } from './texts.ts';

type Texts = typeof TEXTS;

/** The key of a text, area first: `commands.help.title`. */
export type TextKey = { [A in keyof Texts]: `${A}.${keyof Texts[A]['en'] & string}` }[keyof Texts];

/** The arguments of a text. */
export type TextArgs = Readonly<Record<string, string | number>>;

/** A text to localize later: `localize(locale, ...message)`. */
export type TextMessage = readonly [key: TextKey, args?: TextArgs];

/** Compiled patterns by language and pattern, so that each is compiled once per process. */
const formats = new Map<string, IntlMessageFormat>();

/** Formats a text in a language, given by key or directly. Throws when `args` lacks an argument of the text. */
export function localize(locale: Locale, text: TextKey | LocalizedText, args: TextArgs = {}): string {
  const pattern = typeof text === 'string' ? getPattern(locale, text) : text[locale];
  const id = `${locale} ${pattern}`;
  const cached = formats.get(id);
  // Tags are disabled, because `<` occurs in mentions such as `<@U1>`.
  const format = cached ?? new IntlMessageFormat(pattern, locale, undefined, { ignoreTag: true });
  if (!cached) formats.set(id, format);
  return String(format.format(args));
}

/** Returns the ICU pattern of a text. */
function getPattern(locale: Locale, key: TextKey): string {
  const pattern = findPattern(locale, key);
  if (pattern === undefined) throw new RangeError(`no text ${key}`);
  return pattern;
}

/** Whether a text with this key exists. */
export const isText = (key: string): key is TextKey => findPattern('en', key) !== undefined;

function findPattern(locale: Locale, key: string): string | undefined {
  const dot = key.indexOf('.');
  const areas: Readonly<Record<string, Readonly<Record<Locale, Readonly<Record<string, string>>>>>> = TEXTS;
  return areas[key.slice(0, dot)]?.[locale][key.slice(dot + 1)];
}
