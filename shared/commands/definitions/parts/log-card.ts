import type { CommandsContext } from '../../context.ts';
import { type Card, type CardControl, formatMention } from '../../../domain/index.ts';
import { type AuditEntry, isSetting } from '../../../settings/rules/index.ts';
import {
  getInteractionSettingsPlace,
  getSettingLabel,
  getValueLabel,
  wordForLevel,
} from '../../../settings/index.ts';
import type { StoredLevel } from '../../../storage/index.ts';
import { createLogTimeFormat, localize } from '../../../i18n/index.ts';
import { formatValue } from './effective-settings.ts';
import { isIdList, type TextWithPeople, formatMentions } from '../../arguments/format-mentions.ts';
import { type InteractionRequest, textCard } from '../../framework/types.ts';
import { getReaderZone } from '../../framework/reader-zone.ts';
import { describeMissingLevel, hasLevel, mayChange } from './settings-card.ts';

/** The number of changes per part of a card: Slack limits a part to 3,000 characters. */
const MAX_SHOWN_CHANGES = 10;

/** Shows the audit log of a level, newest first. */
export async function createLogCard(
  request: InteractionRequest,
  level: StoredLevel,
  context: CommandsContext,
): Promise<Card> {
  const { locale, interaction } = request;
  if (!hasLevel(request, level)) return textCard(describeMissingLevel(request, level), 'bad');
  if (!mayChange(request, level)) return textCard(localize(locale, 'settings.no.not-admin'), 'bad');
  const { log } = await context.settingsStore.read(getInteractionSettingsPlace(interaction), level);
  const format = createLogTimeFormat(await getReaderZone(request, context), locale);
  const lines = log.map((one): TextWithPeople => {
    const { text, people } = formatEntry(request, one);
    const { at, by } = one;
    return { text: `- ${format.format(at)}: ${text}`, people: by === '' ? people : [by, ...people] };
  });
  const pages = Array.from({ length: Math.ceil(lines.length / MAX_SHOWN_CHANGES) }, (_, page) =>
    lines.slice(page * MAX_SHOWN_CHANGES, (page + 1) * MAX_SHOWN_CHANGES),
  );
  return {
    title: `${localize(locale, `settings.level.${wordForLevel(level, interaction.platform)}`)}: ${localize(locale, 'settings.log.show')}`,
    parts: [
      ...(pages.length === 0
        ? [{ kind: 'text' as const, markdown: localize(locale, 'settings.log.none') }]
        : []),
      ...pages.map((page) => ({
        kind: 'text' as const,
        markdown: page.map(({ text }) => text).join('\n'),
        people: [...new Set(page.flatMap(({ people }) => people))],
      })),
      { kind: 'controls', controls: [createBackButton(request, level)] },
    ],
  };
}

const createBackButton = ({ locale, interaction }: InteractionRequest, level: StoredLevel): CardControl => ({
  kind: 'button',
  label: localize(locale, `settings.show.${wordForLevel(level, interaction.platform)}`),
  action: { name: 'settings.show', args: [level] },
});

/** Describes a change in a sentence, with the people that it mentions. */
function formatEntry(request: InteractionRequest, { by, setting, to, removed }: AuditEntry): TextWithPeople {
  const { locale } = request;
  const who = by === '' ? localize(locale, 'settings.log.forgotten') : formatMention(by);
  const args = { who, setting: isSetting(setting) ? getSettingLabel(locale, setting) : setting };
  if (removed !== undefined)
    return {
      text: localize(locale, 'settings.log.removed', { ...args, name: toSingleLine(removed) }),
      people: [],
    };
  const value = parseAuditValue(to);
  if (value === undefined) return { text: localize(locale, 'settings.log.reset', args), people: [] };
  if (typeof value === 'object' && 'lock' in value) {
    const { lock } = value;
    if (lock === null) return { text: localize(locale, 'settings.log.unlocked', args), people: [] };
    const text =
      lock === ''
        ? localize(locale, 'settings.log.locked', args)
        : localize(locale, 'settings.log.locked-why', { ...args, reason: toSingleLine(lock) });
    return { text, people: [] };
  }
  const named = formatAuditedValue(request, setting, value);
  return { ...named, text: localize(locale, 'settings.log.set', { ...args, value: named.text }) };
}

function formatAuditedValue(
  { locale, interaction }: InteractionRequest,
  setting: string,
  value: unknown,
): TextWithPeople {
  if (isSetting(setting) && isIdList(setting) && Array.isArray(value)) {
    const entries = value.map(String);
    const isCut = entries.at(-1) === '…';
    const named = formatMentions(interaction.platform, setting, isCut ? entries.slice(0, -1) : entries);
    return { ...named, text: `${named.text || '–'}${isCut ? ' …' : ''}` };
  }
  const written = toSingleLine(formatValue(value)) || '–';
  return { text: isSetting(setting) ? getValueLabel(locale, setting, written) : written, people: [] };
}

/** Keeps each entry on one line. */
const toSingleLine = (text: string): string => text.replaceAll(/[\s`]+/gu, ' ').trim();

/** Parses the value of an entry; undefined if the value was removed. Also parses values that earlier versions cut off. */
function parseAuditValue(
  to: string,
): { readonly lock: string | null } | string | readonly unknown[] | undefined {
  if (to === '') return undefined;
  try {
    const value: unknown = JSON.parse(to);
    if (Array.isArray(value)) return value.map(String);
    if (typeof value !== 'object' || value === null) return formatValue(value);
    const lock = 'lock' in value ? value.lock : undefined;
    return { lock: typeof lock === 'string' ? lock : null };
  } catch {
    const [start = '', ...rest] = to.split('"').slice(1);
    if (to.startsWith('[')) return [...Array.from(to.matchAll(/"([^"]*)"/gu), ([, id]) => id), '…'];
    return to.startsWith('{') ? { lock: `${rest.join('"').replace(/^:"/u, '')}…` } : `${start}…`;
  }
}
