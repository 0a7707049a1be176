export { isSupportedLanguage, type Locale, toLocale, LOCALES, type LocalizedText } from './locale.ts';
export { PLATFORM_NAMES } from './platform-names.ts';
export { isText, localize, type TextMessage, type TextKey } from './translate.ts';
