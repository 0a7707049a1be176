export { isSupportedLanguage, type Locale, toLocale, LOCALES, type LocalizedText } from './locale.ts';
export { isText, localize, type TextArgs, type TextMessage, type TextKey } from './translate.ts';
export { getDiscordText } from './discord/index.ts';
export {
  createLogTimeFormat,
  roundUpToMinute,
  getDateLocale,
  formatClockTime,
  formatMoment,
  formatMomentInZone,
} from './format-time.ts';
export {
  ADD_TO_KNOWLEDGE,
  CATCH_UP,
  EDIT_PICTURE,
  SPEAK_TRANSLATION,
  TRANSLATE_RECORDING,
  EXPORT_THREAD,
  FORGET_THIS,
  type FormTexts,
  GO_ON,
  MORE_ACTIONS,
  MORE_ACTIONS_TITLE,
  THREAD_SETTINGS,
  WHICH_ACTION,
  WHY_THIS_ANSWER,
  getFormTexts,
} from './forms/index.ts';
export {
  type TypedCommandFormat,
  formatChoice,
  formatFlag,
  formatCommand,
  formatCommandName,
  formatDeleteFact,
  formatOption,
  formatToolsCommand,
  getCommandFormat,
  getCommandName,
} from './labels/format-usage.ts';
export { LANGUAGE_CHOICES, findLanguageCode, getLanguageName } from './translation-languages.ts';
export * from './labels/option-labels.ts';
export * from './labels/own-data-labels.ts';
export * from './labels/scope-labels.ts';
export * from './labels/time-labels.ts';
export * from './labels/tool-labels.ts';
export * from './labels/weekday-labels.ts';
