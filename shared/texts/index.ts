export { type Locale, localeOf, LOCALES } from './locale.ts';
export { say, type Saying, type TextKey } from './say.ts';
