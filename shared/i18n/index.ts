export { isSpoken, type Locale, localeOf, LOCALES, type LocalizedText } from './locale.ts';
export { PLATFORM_NAMES } from './platform-names.ts';
export { isText, localize, type TextMessage, type TextKey } from './translate.ts';
