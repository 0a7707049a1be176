import type { CommandsContext } from '../context.ts';
import { findValueByLabel, isResetLabel } from '../../settings/index.ts';
import {
  isSetting,
  SETTINGS,
  type SettingName,
  parseNumber,
  parseYesNo,
} from '../../settings/rules/index.ts';
import { findLanguageCode, type Locale } from '../../i18n/index.ts';
import { replaceMentions } from './mentions.ts';
import { getListKind } from './format-mentions.ts';
import { type AcceptedReference, resolveReference } from './references.ts';
import type { InteractionRequest } from '../framework/types.ts';

/** The value to store, undefined to remove it; or a sentence that says what is wrong. */
export type ParsedSettingValue = { readonly value: unknown } | { readonly sentence: string };

/** Entries of a list are separated by spaces or commas, which a Slack mention may contain. */
const ENTRY = /(?:<[^<>\n]*>|[^\s,、，])+/gu;
/** More than any setting accepts. */
const MAX_ENTRIES = 101;
const MAX_CONCURRENT_LOOKUPS = 10;

/** Parses the typed value of a setting, and resolves people, groups and channels. Validation follows later. */
export async function parseSettingValue(
  request: InteractionRequest,
  context: Pick<CommandsContext, 'directory'>,
  setting: string,
  text: string,
): Promise<ParsedSettingValue> {
  const value = parseValue(setting, text, request.locale);
  const accepted = getListKind(setting);
  return accepted !== undefined && Array.isArray(value)
    ? resolveEntries(request, context, value.map(String), accepted)
    : { value };
}

async function resolveEntries(
  request: InteractionRequest,
  context: Pick<CommandsContext, 'directory'>,
  entries: readonly string[],
  accepted: AcceptedReference,
): Promise<ParsedSettingValue> {
  const ids = new Set<string>();
  for (let at = 0; at < Math.min(entries.length, MAX_ENTRIES); at += MAX_CONCURRENT_LOOKUPS) {
    const batch = entries.slice(at, Math.min(at + MAX_CONCURRENT_LOOKUPS, MAX_ENTRIES));
    const results = await Promise.all(
      batch.map(async (entry) => {
        // `S7*3`: three times the usual share.
        const [, word = '', weight = ''] = /^(.+?)(\*[\d.]*)?$/u.exec(entry.normalize('NFKC')) ?? [];
        const result = await resolveReference(request, context, word, accepted);
        return 'id' in result ? { id: result.id + weight } : result;
      }),
    );
    for (const result of results) {
      if ('sentence' in result) return result;
      ids.add(result.id);
    }
  }
  return { value: [...ids] };
}

/** The values of languages that are none. */
const LANGUAGE_VALUES: { readonly [Name in SettingName]?: readonly string[] } = {
  language: ['auto'],
  voiceLanguage: ['auto', 'none'],
};

/** Values may be typed by their names, or as the menus show them. */
function parseValue(setting: string, text: string, locale: Locale): unknown {
  const word = text.trim();
  if (word === '' || word.toLowerCase() === 'reset' || isResetLabel(word) || !isSetting(setting))
    return undefined;
  const definition = SETTINGS[setting];
  const { format } = definition;
  switch (format) {
    case 'list':
      return Array.from(word.matchAll(ENTRY), ([entry]) => entry);
    case 'number':
    case 'integer':
      return parseNumber(word, format === 'integer', 'max' in definition ? definition.max : Infinity);
    case 'yes-no':
      return parseYesNo(word) ?? word;
    case 'language':
      return (
        findValueByLabel(setting, LANGUAGE_VALUES[setting] ?? [], word, locale) ?? findLanguageCode(word)
      );
    case 'text':
      return replaceMentions(word);
    default:
      return parseChoice(setting, format, word, locale);
  }
}

/** Finds a choice by its name or label. A no in any language selects `off`, if it exists, and a yes `on`. */
function parseChoice(setting: SettingName, choices: readonly string[], word: string, locale: Locale): string {
  const normalized = word.normalize('NFKC').toLowerCase();
  const chosen =
    choices.find((one) => one === normalized) ?? findValueByLabel(setting, choices, word, locale);
  if (chosen !== undefined) return chosen;
  const yesNo = parseYesNo(word);
  const name = yesNo === undefined ? word : yesNo ? 'on' : 'off';
  return choices.includes(name) ? name : word;
}
