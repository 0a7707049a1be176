import * as v from 'valibot';
import { type UserId, userId } from '../../domain/index.ts';
import { isConditionMet } from '../dynamodb/dynamo.ts';
import { deletionKey, recordingPointerKey, type RecordingRef } from '../keys/recording-keys.ts';
import type { TurnsConfig } from '../turns/turn-table.ts';

/** What people did to a recording during its transcription. */
export type RecordingSignal = {
  readonly isDeleted: boolean;
  /** Who stopped the transcription. */
  readonly stoppedBy: UserId | undefined;
  /** Who recorded it; undefined if no transcription was started, or it was erased. */
  readonly recordedBy: UserId | undefined;
};

const text = v.object({ S: v.string() });
const pointer = v.object({ by: v.optional(text), stopped: v.optional(text) });

/** One query for everything, because it is read before each chunk. */
export async function readSignal(
  { dynamo, table: TableName }: TurnsConfig,
  ref: RecordingRef,
): Promise<RecordingSignal> {
  const [tombstone, own] = [deletionKey(ref), recordingPointerKey(ref)];
  const { Items = [] } = await dynamo.query({
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': own.pk, ':first': tombstone.sk, ':last': own.sk },
    ConsistentRead: true,
  });
  const at = (sk: string) => Items.find((item) => item['sk']?.S === sk);
  const { by, stopped } = v.parse(pointer, at(own.sk.S) ?? {});
  return {
    isDeleted: at(tombstone.sk.S) !== undefined,
    stoppedBy: stopped && userId(stopped.S),
    recordedBy: by && userId(by.S),
  };
}

/** Stops a transcription, or resumes it if `by` is undefined. Resolves with whether the recording is known. */
export function writeStop(
  { dynamo, table: TableName }: TurnsConfig,
  ref: RecordingRef,
  by: UserId | undefined,
): Promise<boolean> {
  const change =
    by === undefined
      ? { UpdateExpression: 'REMOVE stopped' }
      : { UpdateExpression: 'SET stopped = :by', ExpressionAttributeValues: { ':by': { S: by } } };
  const only = { ConditionExpression: 'attribute_exists(pk)' };
  return isConditionMet(dynamo.update({ TableName, Key: recordingPointerKey(ref), ...change, ...only }));
}
