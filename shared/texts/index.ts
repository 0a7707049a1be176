export { type Locale, localeOf, LOCALES } from './locale.ts';
export { say, type TextKey } from './say.ts';
