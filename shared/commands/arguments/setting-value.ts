import type { CommandsContext } from '../context.ts';
import { isSetting, SETTINGS, parseYesNo } from '../../settings/rules/index.ts';
import { findLanguageCode } from '../../i18n/index.ts';
import { withoutMentions } from './mentions.ts';
import { getListKind } from './format-mentions.ts';
import { type AcceptedReference, resolveReference } from './references.ts';
import type { InteractionRequest } from '../framework/types.ts';

/** A value as it is to be kept, undefined where the setting is taken back; or a sentence that says what is wrong with it. */
export type ParsedSettingValue = { readonly value: unknown } | { readonly sentence: string };

/** Entries of a list stand between blanks or commas; a mention of Slack's may hold both. */
const ENTRY = /(?:<[^<>\n]*>|[^\s,、，])+/gu;
/** Entries that are looked up: more than any setting takes. */
const MAX_ENTRIES = 101;
/** At the same time. */
const MAX_CONCURRENT_LOOKUPS = 10;

/** What somebody wrote as the value of a setting. Whoever is named in it is looked up; whether it is a value is decided later. */
export async function parseSettingValue(
  request: InteractionRequest,
  context: Pick<CommandsContext, 'directory'>,
  setting: string,
  text: string,
): Promise<ParsedSettingValue> {
  const value = parseValue(setting, text);
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
    const some = entries.slice(at, Math.min(at + MAX_CONCURRENT_LOOKUPS, MAX_ENTRIES));
    const found = await Promise.all(
      some.map(async (entry) => {
        // `S7*3`: three times the usual share.
        const [, word = '', weight = ''] = /^(.+?)(\*[\d.]*)?$/u.exec(entry.normalize('NFKC')) ?? [];
        const one = await resolveReference(request, context, word, accepted);
        return 'id' in one ? { id: one.id + weight } : one;
      }),
    );
    for (const one of found) {
      if ('sentence' in one) return one;
      ids.add(one.id);
    }
  }
  return { value: [...ids] };
}

function parseValue(setting: string, text: string): unknown {
  const word = text.trim();
  if (word === '' || word.toLowerCase() === 'reset' || !isSetting(setting)) return undefined;
  const { format } = SETTINGS[setting];
  switch (format) {
    case 'list':
      return Array.from(word.matchAll(ENTRY), ([entry]) => entry);
    case 'number':
    case 'integer':
      return parseNumber(word);
    case 'yes-no':
      return parseYesNo(word) ?? word;
    case 'language':
      return findLanguageCode(word);
    case 'text':
      return withoutMentions(word);
    default:
      return parseChoice(format, word);
  }
}

/** With a comma or a point, and in the digits of any keyboard that has those of ours. */
function parseNumber(word: string): number {
  const written = word.normalize('NFKC').replace(',', '.');
  return /^[+-]?\d{1,15}(?:\.\d{1,15})?$/u.test(written) ? Number(written) : Number.NaN;
}

/** One of the words that a setting has, in whatever case; a no in any language is its `off`, where it has one. */
function parseChoice(choices: readonly string[], word: string): string {
  const wanted = word.normalize('NFKC').toLowerCase();
  const chosen = choices.find((one) => one === wanted);
  return chosen ?? (choices.includes('off') && parseYesNo(word) === false ? 'off' : word);
}
