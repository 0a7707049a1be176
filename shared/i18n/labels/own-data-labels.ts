import type { LocalizedText } from '../locale.ts';
import { localize } from '../translate.ts';
import { formatChoice, formatCommandName, type TypedCommandFormat } from './format-usage.ts';
import { forgetLabel, whatLabel } from './option-labels.ts';

export const exportLabel: LocalizedText = {
  en: 'export',
  de: 'exportieren',
  fr: 'exporter',
  es: 'exportar',
  pt: 'exportar',
  ja: 'エクスポート',
  ko: '내보내기',
  zh: '导出',
};
/** What `forget` erases: everything about the person. */
export const forgetMeLabel: LocalizedText = {
  en: 'me',
  de: 'mich',
  fr: 'moi',
  es: 'a mí',
  pt: 'a mim',
  ja: '自分',
  ko: '나',
  zh: '我',
};

/** Formats the commands that everybody may use for their own data, as arguments of the texts of refusals: `forget me`, `/vergessen was:mich`. */
export const formatOwnDataCommands = (
  format: TypedCommandFormat,
): { readonly export: string; readonly forget: string } => ({
  export: formatCommandName(exportLabel, format),
  forget: `${formatCommandName(forgetLabel, format)} ${formatChoice(whatLabel, 'me', format, forgetMeLabel)}`,
});

/** Says why a person may not use the bot, and how they get and erase their data. `locale`: that of the text, where the commands have another one. */
export const localizeRefusal = (
  refusal: 'denied' | 'not-allowed' | 'not-here',
  commands: TypedCommandFormat,
  locale = commands.locale,
): string => localize(locale, `settings.refused.${refusal}`, formatOwnDataCommands(commands));
