import {
  isPlatformName,
  type MessageId,
  type PlatformName,
  type Thread,
  type UserId,
} from '../../domain/index.ts';
import { personPointerKey } from './person-pointers.ts';
import type { Item, Key } from './turn-keys.ts';

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
export function ratingKeysOfTurn(item: Item): Key[] {
  const { pk, sk, id } = item;
  const [platform, workspace = '', channel, root] = pk?.S?.split('#') ?? [];
  if (!isPlatformName(platform) || !sk?.S?.startsWith('TURN#') || id?.S === undefined) return [];
  const partition = ratingsPartition({ platform, workspace });
  const question = `RATING#${id.S.padStart(20, '0')}#${channel}#${root}`;
  const own = { pk: { S: pk?.S ?? '' }, sk: { S: sk.S } };
  return ratersOfTurn(item).flatMap((by) => [
    { pk: { S: partition }, sk: { S: `${question}#${by}` } },
    personPointerKey(own, by),
  ]);
}

/** Returns who rated the answer of a turn. */
export const ratersOfTurn = (item: Item): string[] =>
  Object.keys(item).flatMap((name) => RATING_ATTRIBUTE.exec(name)?.[1] ?? []);

/** Returns the attribute of a turn with this person's rating. */
export const ratingAttribute = (user: UserId): string => `fb_${user}`;
