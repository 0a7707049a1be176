import { isPlatformName, type MessageId, type PlatformName, type Thread } from '../../domain/index.ts';
import { pointerKey } from '../privacy/person-pointers.ts';
import type { Item, Key } from '../turns/turn-keys.ts';

/** The partition of what people think of the answers in a workspace. */
export const ratingsPartition = ({
  platform,
  workspace,
}: {
  readonly platform: PlatformName;
  readonly workspace: string;
}): string => `FEEDBACK#${platform}#${workspace}`;

/** Where it lies what a person thinks of the answer to a question: sorted by when that was asked. */
export const ratingKey = (thread: Thread, message: MessageId, by: string): Key => ({
  pk: { S: ratingsPartition(thread) },
  sk: { S: `RATING#${message.padStart(20, '0')}#${thread.channel}#${thread.root}#${by}` },
});

/** The channel and the question of a rating, by its key; undefined for the key of anything else. */
export function ratedIn({ pk, sk }: Key): { readonly channel: string; readonly message: string } | undefined {
  const [rating, message, channel] = sk.S.split('#');
  return pk.S.startsWith('FEEDBACK#') && rating === 'RATING' && message && channel
    ? { channel, message: message.replace(/^0+/u, '') }
    : undefined;
}

const OPINION = /^fb_(\w+)$/u;

/** The keys of all that people think of the answer that a turn's item holds, and of what leads from them to it. */
export function ratingsOf(item: Item): Key[] {
  const { pk, sk, id } = item;
  const [platform, workspace = '', channel, root] = pk?.S?.split('#') ?? [];
  if (!isPlatformName(platform) || !sk?.S?.startsWith('TURN#') || id?.S === undefined) return [];
  const partition = ratingsPartition({ platform, workspace });
  const question = `RATING#${id.S.padStart(20, '0')}#${channel}#${root}`;
  const own = { pk: { S: pk?.S ?? '' }, sk: { S: sk.S } };
  return ratersOf(item).flatMap((by) => [
    { pk: { S: partition }, sk: { S: `${question}#${by}` } },
    pointerKey(own, by),
  ]);
}

/** Who thinks something of the answer that a turn's item holds. */
export const ratersOf = (item: Item): string[] =>
  Object.keys(item).flatMap((name) => OPINION.exec(name)?.[1] ?? []);
