import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type ChannelId,
  type FactOwner,
  type MessageId,
  type Thread,
  threadKey,
  type UserId,
  isPlatformName,
  type PlatformName,
  NO_GUILD,
} from '../../domain/index.ts';
import { getMessageTimeMs } from '../../utils/index.ts';
import type { JobId } from '../../video/jobs/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import type { SettingLevel, PresetKind } from '../../settings/rules/index.ts';

export type Item = Record<string, AttributeValue>;
export type Key = { readonly pk: AttributeValue.SMember; readonly sk: AttributeValue.SMember };

const PREFIX = 'TURN#';

/** Padded, Discord's ids sort by time as text. Slack's have a fixed length. */
const sortKey = (message: MessageId): string => PREFIX + message.padStart(20, '0');

/** The key of the turn with this question. */
export const turnKey = (thread: Thread, message: MessageId): Key => ({
  pk: { S: threadKey(thread) },
  sk: { S: sortKey(message) },
});

/** When the question of a turn was sent (ms since 1970). */
export const getAskedTimeMs = ({ sk }: Item): number => getMessageTimeMs(sk?.S?.slice(PREFIX.length) ?? '');

/** The key of the marker of a question that a person had forgotten; its message may still exist. */
export const forgottenKey = (thread: Thread, message: MessageId): Key => ({
  pk: { S: threadKey(thread) },
  sk: { S: `FORGOT#${message}` },
});

/** The range of sort keys of turns. Literals: the bundler does not remove an unused template string. */
export const FIRST_TURN_KEY = PREFIX;
export const LAST_TURN_KEY = 'TURN#~';
/** The sort key of the marker of a closed thread, after all turns: its root message was deleted. */
export const CLOSED_THREAD_KEY = LAST_TURN_KEY;

/** A number as an attribute, rounded down to a whole one. */
export const numberValue = (n: number): { N: string } => ({ N: String(Math.floor(n)) });

/** The prefix of job partitions and of job pointers. */
export const VIDEO = 'VIDEO#';
const JOB = 'JOB#';

export function jobKey(id: JobId): Key {
  const [personHash = '', requestHash = ''] = id.split('-');
  return { pk: { S: VIDEO + personHash }, sk: { S: JOB + requestHash } };
}

const POINTER = 'POINTER#';

/**
 * A pointer: a small item beside one that contains data of a person without naming them in `by`. Its own `by`
 * is in the person index, and its key leads to the item. So one item can belong to several people. Written
 * before its target, or again with it; lives at least as long. `ttl` in seconds; without it, it stays until the
 * person is erased.
 */
export const createPersonPointer = (to: Key, user: string, ttl?: { readonly N: string }): Item => ({
  ...personPointerKey(to, user),
  by: { S: user },
  ...(ttl && { ttl: { N: ttl.N } }),
});

export const personPointerKey = ({ pk, sk }: Key, user: string): Key => ({
  pk,
  sk: { S: `${POINTER}${sk.S}#${user}` },
});

/** Whether an item is a pointer to another one. */
export const isPointer = ({ sk }: Item): boolean => sk?.S?.startsWith(POINTER) === true;

/** Returns the key of a pointer's target; undefined for other keys. */
export function parsePointerTarget({ pk, sk }: Key, user: UserId): Key | undefined {
  const end = `#${user}`;
  if (!sk.S.startsWith(POINTER) || !sk.S.endsWith(end)) return undefined;
  return { pk, sk: { S: sk.S.slice(POINTER.length, -end.length) } };
}

/** Renews the pointers of these people, so that they live as long as the item. */
export async function renewPointers(
  { dynamo, table: TableName }: { readonly dynamo: Pick<Dynamo, 'put'>; readonly table: string },
  { pk, sk, ttl }: Item,
  people: readonly string[],
): Promise<void> {
  if (pk?.S === undefined || sk?.S === undefined || ttl?.N === undefined) return;
  const [to, until] = [{ pk: { S: pk.S }, sk: { S: sk.S } }, { N: ttl.N }];
  await Promise.all(
    people.map((user) => dynamo.put({ TableName, Item: createPersonPointer(to, user, until) })),
  );
}

/** Returns the partition of the ratings of a workspace. */
export const ratingsPartition = ({
  platform,
  workspace,
}: {
  readonly platform: PlatformName;
  readonly workspace: string;
}): string => `FEEDBACK#${platform}#${workspace}`;

/** Returns the key of a person's rating: sorted by the time of the question. */
export const ratingKey = (thread: Thread, message: MessageId, by: string): Key => ({
  pk: { S: ratingsPartition(thread) },
  sk: { S: `RATING#${message.padStart(20, '0')}#${thread.channel}#${thread.root}#${by}` },
});

/** Returns the channel and question of a rating's key; undefined for other keys. */
export function parseRatingKey({
  pk,
  sk,
}: Key): { readonly channel: string; readonly message: string } | undefined {
  const [rating, message, channel] = sk.S.split('#');
  return pk.S.startsWith('FEEDBACK#') && rating === 'RATING' && message && channel
    ? { channel, message: message.replace(/^0+/u, '') }
    : undefined;
}

const RATING_ATTRIBUTE = /^fb_(\w+)$/u;

/** Returns the keys of all ratings of a turn's answer, and of the pointers of the raters. */
export function listRatingKeys(item: Item): Key[] {
  const { pk, sk, id } = item;
  const [platform, workspace = '', channel, root] = pk?.S?.split('#') ?? [];
  if (!isPlatformName(platform) || !sk?.S?.startsWith('TURN#') || id?.S === undefined) return [];
  const partition = ratingsPartition({ platform, workspace });
  const question = `RATING#${id.S.padStart(20, '0')}#${channel}#${root}`;
  const own = { pk: { S: pk?.S ?? '' }, sk: { S: sk.S } };
  return listRaters(item).flatMap((by) => [
    { pk: { S: partition }, sk: { S: `${question}#${by}` } },
    personPointerKey(own, by),
  ]);
}

/** Returns who rated the answer of a turn. */
export const listRaters = (item: Item): string[] =>
  Object.keys(item).flatMap((name) => RATING_ATTRIBUTE.exec(name)?.[1] ?? []);

/** Returns the attribute of a turn with this person's rating. */
export const ratingAttribute = (user: UserId): string => `fb_${user}`;

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

/** The key of the facts about a person in a workspace. */
export const factsKey = ({ platform, workspace, user }: FactOwner) => ({
  pk: { S: `FACTS#${platform}#${workspace}` },
  sk: { S: `PERSON#${user}` },
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
const WORKSPACE_LEVEL_KEY = 'LEVEL#workspace';
const channelLevelKey = (channel: string): string => `LEVEL#channel#${channel}`;
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

/** How the sort keys begin of the settings of a channel's threads, and of the pointers to these and to its own. */
export const channelSettingsPrefixes = (channel: ChannelId): readonly string[] => [
  `LEVEL#thread#${channel}#`,
  `${POINTER}LEVEL#thread#${channel}#`,
  `${POINTER}${channelLevelKey(channel)}#`,
];

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
