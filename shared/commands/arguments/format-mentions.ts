import { formatMention, type PlatformName } from '../../domain/index.ts';
import { isSetting, type SettingName } from '../../settings/rules/index.ts';
import type { AcceptedReference } from './references.ts';

/** Settings that are lists of people, roles, groups and bots, or of channels, by their ids on the platform. */
const LIST_KINDS: Partial<Record<SettingName, AcceptedReference>> = {
  bots: 'bots',
  allowed: 'people',
  denied: 'people',
  favoured: 'people',
  channels: 'channels',
};
/** Of a list, so many are shown. */
const MAX_SHOWN_ENTRIES = 15;

/** What stands on a card for a list, and whom it names: see `CardPart`. */
export type TextWithPeople = { readonly text: string; readonly people: readonly string[] };

/** Whom a setting that is a list of ids may hold; undefined for any other. People are shown such ids as names. */
export const getListKind = (setting: string): AcceptedReference | undefined =>
  isSetting(setting) ? LIST_KINDS[setting] : undefined;

/** Whether a setting holds ids. */
export const isIdList = (setting: string): boolean => getListKind(setting) !== undefined;

/** A list of ids as the platform shows names; what is no id of its kind stands as it was written. */
export function formatMentions(
  platform: PlatformName,
  setting: SettingName,
  entries: readonly string[],
): TextWithPeople {
  const all = entries.slice(0, MAX_SHOWN_ENTRIES).map((entry) => {
    const [id = '', times] = entry.split('*');
    const person = toMentionId(platform, LIST_KINDS[setting] === 'channels', id);
    const weight = times === undefined ? '' : ` ×${times}`;
    return { text: `${person === undefined ? id : formatMention(person)}${weight}`, person };
  });
  const more = entries.length > MAX_SHOWN_ENTRIES ? [`+${entries.length - MAX_SHOWN_ENTRIES}`] : [];
  return {
    text: [...all.map(({ text }) => text), ...more].join(', '),
    people: all.flatMap(({ person }) => person ?? []),
  };
}

/** Slack's ids tell by their letter what they are; Discord's of roles are kept with the `&` of their mentions. */
function toMentionId(platform: PlatformName, channel: boolean, id: string): string | undefined {
  if (platform === 'discord') {
    if (!/^&?\d{1,20}$/u.test(id)) return undefined;
    return channel ? `#${id}` : id;
  }
  if (channel) return /^[CG][A-Z0-9]+$/u.test(id) ? `#${id}` : undefined;
  if (/^[UW][A-Z0-9]+$/u.test(id)) return id;
  return /^S[A-Z0-9]+$/u.test(id) ? `&${id}` : undefined;
}
