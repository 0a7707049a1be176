import * as v from 'valibot';
import { type MessageId, messageId } from '../../domain/index.ts';
import { ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { numeral } from '../turns/turn-keys.ts';
import type { TurnsConfig } from '../turns/turn-table.ts';
import { partitionOf, speechProgressName, type RecordingRef } from './recording-keys.ts';

/** One wish to have a recording spoken: in which language, and which call of a person asked for it. */
export type SpeechWish = { readonly to: string; readonly call: string };

/** How far a recording is spoken into its thread for one wish. Pieces are counted from 0. */
export type SpeechProgress = {
  /** The first piece that is in no file yet. */
  readonly next: number;
  /** The message with the first file; undefined where no words were spoken so far. */
  readonly spokenAt?: MessageId | undefined;
  /** The file that may be in the thread already: of the pieces from `next` on to before `until`, by its key and name. */
  readonly uploading?: { readonly until: number; readonly key: string; readonly name: string } | undefined;
};

const shape = v.object({
  next: v.number(),
  spokenAt: v.optional(v.pipe(v.string(), v.transform(messageId))),
  uploading: v.optional(v.object({ until: v.number(), key: v.string(), name: v.string() })),
});
const item = v.object({ progress: v.object({ S: v.string() }), ttl: v.object({ N: v.string() }) });

const keyOf = (ref: RecordingRef, wish: SpeechWish) => ({
  pk: partitionOf(ref),
  sk: { S: speechProgressName(ref, wish) },
});

/** Undefined where nothing of it was spoken yet. */
export async function readSpeech(
  { dynamo, table: TableName, now }: TurnsConfig,
  ref: RecordingRef,
  wish: SpeechWish,
): Promise<SpeechProgress | undefined> {
  const { Item } = await dynamo.get({ TableName, Key: keyOf(ref, wish), ConsistentRead: true });
  if (!Item) return undefined;
  const { progress, ttl } = v.parse(item, Item);
  return Number(ttl.N) > now() / 1000 ? v.parse(shape, JSON.parse(progress.S)) : undefined;
}

/** Keeps how far it is. A worker that was given up cannot set it back: what is further is left as it is. */
export async function writeSpeech(
  { dynamo, table: TableName, days, now }: TurnsConfig,
  ref: RecordingRef,
  wish: SpeechWish,
  progress: SpeechProgress,
): Promise<void> {
  const next = numeral(progress.next);
  await ignoreConditionFailure(
    dynamo.put({
      TableName,
      Item: {
        ...keyOf(ref, wish),
        next,
        progress: { S: JSON.stringify(progress) },
        ttl: numeral(now() / 1000 + days * 86_400),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR #next <= :next',
      ExpressionAttributeNames: { '#next': 'next' },
      ExpressionAttributeValues: { ':next': next },
    }),
  );
}
