import { NO_GUILD, type PlatformName, type Thread, threadKey } from '../../domain/index.ts';
import type { SettingLevel, PresetKind } from '../../settings/rules/index.ts';

/** A workspace, and the person who sets something. */
export type SettingsLocation = {
  readonly platform: PlatformName;
  readonly workspace: string;
  readonly user?: string | undefined;
};

/** Where a question is asked or something is set, and by whom. */
export type SettingsPlace = SettingsLocation & {
  readonly channel?: string | undefined;
  readonly thread?: { readonly channel: string; readonly root: string } | undefined;
};

/** A level with stored settings; those of the deployment are parameters. */
export type StoredLevel = Exclude<SettingLevel, 'deployment'>;

/**
 * Returns the partition of a workspace's settings. Discord chats outside of guilds are not shared: there each
 * person has a partition.
 */
export const settingsPartition = ({ platform, workspace, user = '' }: SettingsLocation): string =>
  `SETTINGS#${platform}#${workspace}${workspace === NO_GUILD ? `#${user}` : ''}`;

/** Where a draft lies, by its id. */
export const draftKey = (of: SettingsLocation, id: string) => ({
  pk: { S: settingsPartition(of) },
  sk: { S: `DRAFT#${id}` },
});

/** The key of the pointer from a thread to a draft about it. */
export const draftPointerKey = (thread: Thread, { pk, sk }: ReturnType<typeof draftKey>) => ({
  pk: { S: threadKey(thread) },
  sk: { S: `DRAFTED#${pk.S}#${sk.S.slice('DRAFT#'.length)}` },
});

/** Returns the key of the draft of such a pointer. */
export function draftKeyFromPointer(drafted: string): ReturnType<typeof draftKey> {
  const of = drafted.slice('DRAFTED#'.length);
  const end = of.lastIndexOf('#');
  return { pk: { S: of.slice(0, end) }, sk: { S: `DRAFT#${of.slice(end + 1)}` } };
}

/** The sort keys of the levels. */
export const WORKSPACE_LEVEL_KEY = 'LEVEL#workspace';
export const channelLevelKey = (channel: string): string => `LEVEL#channel#${channel}`;
export const personLevelKey = (user: string): string => `LEVEL#person#${user}`;

/** Returns the sort key of a level; undefined if the place does not have it. */
export function levelSortKey(
  { channel, thread, user }: SettingsPlace,
  level: StoredLevel,
): string | undefined {
  switch (level) {
    case 'workspace':
      return WORKSPACE_LEVEL_KEY;
    case 'channel':
      return channel && channelLevelKey(channel);
    case 'person':
      return user && personLevelKey(user);
    case 'thread':
      return thread && `LEVEL#thread#${thread.channel}#${thread.root}`;
  }
}

/** Returns the key of a level. Throws a RangeError if the place does not have it. */
export function levelKey(place: SettingsPlace, level: StoredLevel) {
  const sk = levelSortKey(place, level);
  if (sk === undefined) throw new RangeError(`nothing is set for a ${level} here`);
  return { pk: { S: settingsPartition(place) }, sk: { S: sk } };
}

/**
 * The key of the item with all names of a kind: a small item for readers that may only read items whose key
 * they know.
 */
export const presetNamesKey = (of: SettingsLocation, kind: PresetKind) => ({
  pk: { S: settingsPartition(of) },
  sk: { S: `NAMES#${kind}` },
});
