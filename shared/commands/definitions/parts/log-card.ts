import type { CommandsContext } from '../../context.ts';
import { type Card, type CardControl, formatMention } from '../../../domain/index.ts';
import { type AuditEntry, isSetting } from '../../../settings/rules/index.ts';
import { getInteractionSettingsPlace, getSettingLabel, getValueLabel } from '../../../settings/index.ts';
import type { StoredLevel } from '../../../storage/index.ts';
import { localize } from '../../../i18n/index.ts';
import { writtenValue } from './effective-settings.ts';
import { isNamedPerson, type NamedPeople, mentionText } from '../../arguments/format-mentions.ts';
import { type AnyPayload, textCard } from '../../framework/types.ts';
import { isHere, mayChange } from './settings-card.ts';

/** Changes in one part of a card, which Slack cuts at 3,000 characters. */
const LINES = 10;

/** Everything that was changed at a level, the newest first: what, to what, by whom and when. */
export async function logCard(
  called: AnyPayload,
  level: StoredLevel,
  context: CommandsContext,
): Promise<Card> {
  const { locale, invocation } = called;
  if (!isHere(called, level)) return textCard(localize(locale, 'settings.no.nowhere'), 'bad');
  if (!mayChange(called, level)) return textCard(localize(locale, 'settings.no.not-admin'), 'bad');
  const { log } = await context.settingsStore.read(getInteractionSettingsPlace(invocation), level);
  const moment = {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: context.settings.zone ?? 'UTC',
  } as const;
  const format = new Intl.DateTimeFormat(locale, moment);
  const lines = log.map((one): NamedPeople => {
    const { text, people } = sentenceOf(called, one);
    const { at, by } = one;
    return { text: `- ${format.format(at)}: ${text}`, people: by === '' ? people : [by, ...people] };
  });
  const pages = Array.from({ length: Math.ceil(lines.length / LINES) }, (_, page) =>
    lines.slice(page * LINES, (page + 1) * LINES),
  );
  return {
    title: `${localize(locale, `settings.level.${level}`)}: ${localize(locale, 'settings.log.show')}`,
    parts: [
      ...(pages.length === 0
        ? [{ kind: 'text' as const, markdown: localize(locale, 'settings.log.none') }]
        : []),
      ...pages.map((page) => ({
        kind: 'text' as const,
        markdown: page.map(({ text }) => text).join('\n'),
        people: [...new Set(page.flatMap(({ people }) => people))],
      })),
      { kind: 'controls', controls: [back(called, level)] },
    ],
  };
}

const back = ({ locale }: AnyPayload, level: StoredLevel): CardControl => ({
  kind: 'button',
  label: localize(locale, `settings.show.${level}`),
  action: { name: 'settings.show', args: [level] },
});

/** What was done to a setting, as a sentence; who did it, and whom it names. */
function sentenceOf(called: AnyPayload, { by, setting, to, removed }: AuditEntry): NamedPeople {
  const { locale } = called;
  const who = by === '' ? localize(locale, 'settings.log.forgotten') : formatMention(by);
  const args = { who, setting: isSetting(setting) ? getSettingLabel(locale, setting) : setting };
  if (removed !== undefined)
    return {
      text: localize(locale, 'settings.log.removed', { ...args, name: onOneLine(removed) }),
      people: [],
    };
  const value = readAudited(to);
  if (value === undefined) return { text: localize(locale, 'settings.log.reset', args), people: [] };
  if (typeof value === 'object' && 'lock' in value) {
    const { lock } = value;
    if (lock === null) return { text: localize(locale, 'settings.log.unlocked', args), people: [] };
    const text =
      lock === ''
        ? localize(locale, 'settings.log.locked', args)
        : localize(locale, 'settings.log.locked-why', { ...args, reason: onOneLine(lock) });
    return { text, people: [] };
  }
  const named = valueOf(called, setting, value);
  return { ...named, text: localize(locale, 'settings.log.set', { ...args, value: named.text }) };
}

function valueOf({ locale, invocation }: AnyPayload, setting: string, value: unknown): NamedPeople {
  if (isSetting(setting) && isNamedPerson(setting) && Array.isArray(value)) {
    const entries = value.map(String);
    const isCut = entries.at(-1) === '…';
    const named = mentionText(invocation.platform, setting, isCut ? entries.slice(0, -1) : entries);
    return { ...named, text: `${named.text || '–'}${isCut ? ' …' : ''}` };
  }
  const written = onOneLine(writtenValue(value)) || '–';
  return { text: isSetting(setting) ? getValueLabel(locale, setting, written) : written, people: [] };
}

/** A line of the list is one line, whatever somebody wrote. */
const onOneLine = (text: string): string => text.replaceAll(/[\s`]+/gu, ' ').trim();

/** What a line of the audit log says; undefined for a value that was taken back. Also reads what an earlier version cut off. */
function readAudited(to: string): { readonly lock: string | null } | string | readonly unknown[] | undefined {
  if (to === '') return undefined;
  try {
    const value: unknown = JSON.parse(to);
    if (Array.isArray(value)) return value.map(String);
    if (typeof value !== 'object' || value === null) return writtenValue(value);
    const lock = 'lock' in value ? value.lock : undefined;
    return { lock: typeof lock === 'string' ? lock : null };
  } catch {
    const [start = '', ...rest] = to.split('"').slice(1);
    if (to.startsWith('[')) return [...Array.from(to.matchAll(/"([^"]*)"/gu), ([, id]) => id), '…'];
    return to.startsWith('{') ? { lock: `${rest.join('"').replace(/^:"/u, '')}…` } : `${start}…`;
  }
}
