export { isSpoken, type Locale, localeOf, LOCALES, type Said } from './locale.ts';
export { PLATFORM_NAMES } from './platform-names.ts';
export { isText, say, type Saying, type TextKey } from './say.ts';
