import { NO_GUILD, type PlatformName, type Thread, threadKey } from '../../domain/index.ts';
import type { SettingLevel, PresetKind } from '../../settings/rules/index.ts';

/** Where something is set or saved, and by whom. */
export type SettingsLocation = {
  readonly platform: PlatformName;
  readonly workspace: string;
  readonly user?: string | undefined;
};

/** Where something is asked or set, and by whom. */
export type SettingsPlace = SettingsLocation & {
  readonly channel?: string | undefined;
  readonly thread?: { readonly channel: string; readonly root: string } | undefined;
};

/** A level where something can be set here; the deployment's lies in its parameters. */
export type StoredLevel = Exclude<SettingLevel, 'deployment'>;

/**
 * The partition of everything that was set or saved in a workspace. Discord's chats without a guild are no workspace that
 * people share: there each has a partition of their own.
 */
export const settingsPartition = ({ platform, workspace, user = '' }: SettingsLocation): string =>
  `SETTINGS#${platform}#${workspace}${workspace === NO_GUILD ? `#${user}` : ''}`;

/** Where a draft lies, by its id. */
export const draftKey = (of: SettingsLocation, id: string) => ({
  pk: { S: settingsPartition(of) },
  sk: { S: `DRAFT#${id}` },
});

/** Says in a thread's own partition that a draft is about it. */
export const draftedKey = (thread: Thread, { pk, sk }: ReturnType<typeof draftKey>) => ({
  pk: { S: threadKey(thread) },
  sk: { S: `DRAFTED#${pk.S}#${sk.S.slice('DRAFT#'.length)}` },
});

/** The key of the draft that such an item leads to. */
export function draftAt(drafted: string): ReturnType<typeof draftKey> {
  const of = drafted.slice('DRAFTED#'.length);
  const end = of.lastIndexOf('#');
  return { pk: { S: of.slice(0, end) }, sk: { S: `DRAFT#${of.slice(end + 1)}` } };
}

/** The sort keys of what is set for a workspace, and for a channel. */
export const OF_WORKSPACE = 'LEVEL#workspace';
export const ofChannel = (channel: string): string => `LEVEL#channel#${channel}`;
export const ofPerson = (user: string): string => `LEVEL#person#${user}`;

/** The sort key of what is set at a level; undefined where there is no such place here. */
export function sortKey({ channel, thread, user }: SettingsPlace, level: StoredLevel): string | undefined {
  switch (level) {
    case 'workspace':
      return OF_WORKSPACE;
    case 'channel':
      return channel && ofChannel(channel);
    case 'person':
      return user && ofPerson(user);
    case 'thread':
      return thread && `LEVEL#thread#${thread.channel}#${thread.root}`;
  }
}

/** The key of what is set at a level. Throws a RangeError where there is no such place here. */
export function levelKey(place: SettingsPlace, level: StoredLevel) {
  const sk = sortKey(place, level);
  if (sk === undefined) throw new RangeError(`nothing is set for a ${level} here`);
  return { pk: { S: settingsPartition(place) }, sk: { S: sk } };
}

/** Where the names of all that is saved of a kind lie: one small item, for who may read no more than items that it can name. */
export const namesKey = (of: SettingsLocation, kind: PresetKind) => ({
  pk: { S: settingsPartition(of) },
  sk: { S: `NAMES#${kind}` },
});
