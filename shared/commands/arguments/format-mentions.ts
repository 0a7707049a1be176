import { formatMention, type PlatformName } from '../../domain/index.ts';
import { isSetting, type SettingName } from '../../settings/rules/index.ts';
import type { Accepted } from './references.ts';

/** Settings that are lists of people, roles, groups and bots, or of channels, by their ids on the platform. */
const LISTS: Partial<Record<SettingName, Accepted>> = {
  bots: 'bots',
  allowed: 'people',
  denied: 'people',
  favoured: 'people',
  channels: 'channels',
};
/** Of a list, so many are shown. */
const MAX_SHOWN = 15;

/** What stands on a card for a list, and whom it names: see `CardPart`. */
export type NamedPeople = { readonly text: string; readonly people: readonly string[] };

/** Whom a setting that is a list of ids may hold; undefined for any other. People are shown such ids as names. */
export const namedPeople = (setting: string): Accepted | undefined =>
  isSetting(setting) ? LISTS[setting] : undefined;

/** Whether a setting holds ids. */
export const isNamedPerson = (setting: string): boolean => namedPeople(setting) !== undefined;

/** A list of ids as the platform shows names; what is no id of its kind stands as it was written. */
export function mentionText(
  platform: PlatformName,
  setting: SettingName,
  entries: readonly string[],
): NamedPeople {
  const all = entries.slice(0, MAX_SHOWN).map((entry) => {
    const [id = '', times] = entry.split('*');
    const person = personIn(platform, LISTS[setting] === 'channels', id);
    const weight = times === undefined ? '' : ` ×${times}`;
    return { text: `${person === undefined ? id : formatMention(person)}${weight}`, person };
  });
  const more = entries.length > MAX_SHOWN ? [`+${entries.length - MAX_SHOWN}`] : [];
  return {
    text: [...all.map(({ text }) => text), ...more].join(', '),
    people: all.flatMap(({ person }) => person ?? []),
  };
}

/** Slack's ids tell by their letter what they are; Discord's of roles are kept with the `&` of their mentions. */
function personIn(platform: PlatformName, channel: boolean, id: string): string | undefined {
  if (platform === 'discord') {
    if (!/^&?\d{1,20}$/u.test(id)) return undefined;
    return channel ? `#${id}` : id;
  }
  if (channel) return /^[CG][A-Z0-9]+$/u.test(id) ? `#${id}` : undefined;
  if (/^[UW][A-Z0-9]+$/u.test(id)) return id;
  return /^S[A-Z0-9]+$/u.test(id) ? `&${id}` : undefined;
}
