import { IntlMessageFormat } from 'intl-messageformat';
import type { Locale, LocalizedText } from './locale.ts';
import { TEXTS } from './texts.ts';

type Texts = typeof TEXTS;

/** Area and name of a text: `commands.help.title`. */
export type TextKey = { [A in keyof Texts]: `${A}.${keyof Texts[A]['en'] & string}` }[keyof Texts];

/** What is put into a text. */
export type TextArgs = Readonly<Record<string, string | number>>;

/** Something to be said once the language is known: `say(locale, ...saying)`. */
export type TextMessage = readonly [key: TextKey, args?: TextArgs];

/** By language and pattern, built when first said: a pattern is compiled once in the life of a process. */
const formats = new Map<string, IntlMessageFormat>();

/** A text of the bot in a language: one of an area, or one that is at hand. Throws when `args` lacks something that the text names. */
export function localize(locale: Locale, text: TextKey | LocalizedText, args: TextArgs = {}): string {
  const pattern = typeof text === 'string' ? patternOf(locale, text) : text[locale];
  const id = `${locale} ${pattern}`;
  const known = formats.get(id);
  // Tags are for markup of web pages; here `<` is a character, as in `<@U1>`.
  const format = known ?? new IntlMessageFormat(pattern, locale, undefined, { ignoreTag: true });
  if (!known) formats.set(id, format);
  return String(format.format(args));
}

/** The pattern behind a text, in ICU message format. */
function patternOf(locale: Locale, key: TextKey): string {
  const found = find(locale, key);
  if (found === undefined) throw new RangeError(`no text ${key}`);
  return found;
}

/** Whether there is such a text: for keys that are made of what is not known before. */
export const isText = (key: string): key is TextKey => find('en', key) !== undefined;

function find(locale: Locale, key: string): string | undefined {
  const dot = key.indexOf('.');
  const areas: Readonly<Record<string, Readonly<Record<Locale, Readonly<Record<string, string>>>>>> = TEXTS;
  return areas[key.slice(0, dot)]?.[locale][key.slice(dot + 1)];
}
