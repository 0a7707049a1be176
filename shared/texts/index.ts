export { type Locale, localeOf, LOCALES } from './locale.ts';
export { isText, say, type Saying, type TextKey } from './say.ts';
