import * as v from 'valibot';
import { type MessageId, messageId } from '../../domain/index.ts';
import { isConditionMet } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';
import type { TurnsConfig } from '../turns/turn-table.ts';
import { recordingPartition, speechProgressKey, type RecordingRef } from '../keys/recording-keys.ts';

/** A request for a spoken translation: the language, and the interaction that requested it. */
export type SpeechRequest = { readonly to: string; readonly interactionId: string };

/** The progress of a spoken translation. Chunks are counted from 0. */
export type SpeechProgress = {
  /** The first chunk that is in no file yet. */
  readonly next: number;
  /** The message with the first file; undefined if nothing was spoken yet. */
  readonly spokenAt?: MessageId | undefined;
  /**
   * The file that may already be in the thread: the chunks from `next` up to `until` (excluded), with its key
   * and name. Nothing reads the name now, but the previous version requires it.
   */
  readonly uploading?: { readonly until: number; readonly key: string; readonly name: string } | undefined;
};

const shape = v.object({
  next: v.number(),
  spokenAt: v.optional(v.pipe(v.string(), v.transform(messageId))),
  uploading: v.optional(v.object({ until: v.number(), key: v.string(), name: v.string() })),
});
const item = v.object({ progress: v.object({ S: v.string() }), ttl: v.object({ N: v.string() }) });

const progressKey = (ref: RecordingRef, request: SpeechRequest) => ({
  pk: recordingPartition(ref),
  sk: { S: speechProgressKey(ref, request) },
});

/** Undefined if nothing was spoken yet. */
export async function readSpeechProgress(
  { dynamo, table: TableName, now }: TurnsConfig,
  ref: RecordingRef,
  request: SpeechRequest,
): Promise<SpeechProgress | undefined> {
  const { Item } = await dynamo.get({ TableName, Key: progressKey(ref, request), ConsistentRead: true });
  if (!Item) return undefined;
  const { progress, ttl } = v.parse(item, Item);
  return Number(ttl.N) > now() / 1000 ? v.parse(shape, JSON.parse(progress.S)) : undefined;
}

/** Stores the progress. A worker that lost its task cannot set it back: a later progress stays. */
export async function writeSpeechProgress(
  { dynamo, table: TableName, days, now }: TurnsConfig,
  ref: RecordingRef,
  request: SpeechRequest,
  progress: SpeechProgress,
): Promise<void> {
  const next = numberValue(progress.next);
  await isConditionMet(
    dynamo.put({
      TableName,
      Item: {
        ...progressKey(ref, request),
        next,
        progress: { S: JSON.stringify(progress) },
        ttl: numberValue(now() / 1000 + days * 86_400),
      },
      // DynamoDB deletes expired items late.
      ConditionExpression: 'attribute_not_exists(pk) OR #next <= :next OR #ttl <= :now',
      ExpressionAttributeNames: { '#next': 'next', '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':next': next, ':now': numberValue(now() / 1000) },
    }),
  );
}
