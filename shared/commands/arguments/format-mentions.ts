import { formatMention, type PlatformName } from '../../domain/index.ts';
import { isSetting, type SettingName } from '../../settings/rules/index.ts';
import type { AcceptedReference } from './references.ts';

/** Settings that are lists of platform ids: of people, roles, groups and bots, or of channels. */
const LIST_KINDS: Partial<Record<SettingName, AcceptedReference>> = {
  bots: 'bots',
  allowed: 'people',
  denied: 'people',
  favoured: 'people',
  channels: 'channels',
};
/** More entries are shown as a count. */
const MAX_SHOWN_ENTRIES = 15;

/** The text of a list on a card, and the ids that it mentions: see `CardPart`. */
export type TextWithPeople = { readonly text: string; readonly people: readonly string[] };

/** Returns what the ids of a list setting refer to; undefined for other settings. */
export const getListKind = (setting: string): AcceptedReference | undefined =>
  isSetting(setting) ? LIST_KINDS[setting] : undefined;

/** Returns whether a setting is a list of ids. */
export const isIdList = (setting: string): boolean => getListKind(setting) !== undefined;

/** Formats ids as mentions. An invalid id stays as it is. */
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

/** In Slack, the first letter of an id shows its kind. Discord roles are stored with the `&` of their mentions. */
function toMentionId(platform: PlatformName, isChannel: boolean, id: string): string | undefined {
  if (platform === 'discord') {
    if (!/^&?\d{1,20}$/u.test(id)) return undefined;
    return isChannel ? `#${id}` : id;
  }
  if (isChannel) return /^[CG][A-Z0-9]+$/u.test(id) ? `#${id}` : undefined;
  if (/^[UW][A-Z0-9]+$/u.test(id)) return id;
  return /^S[A-Z0-9]+$/u.test(id) ? `&${id}` : undefined;
}
