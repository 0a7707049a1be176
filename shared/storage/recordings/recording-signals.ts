import * as v from 'valibot';
import { type UserId, userId } from '../../domain/index.ts';
import { ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { goneOf, pointerOf, type RecordingRef } from './recording-keys.ts';
import type { TurnsConfig } from '../turns/turn-table.ts';

/** What people did to a recording while it was being written out. */
export type RecordingSignal = {
  /** Its message was deleted. */
  readonly gone: boolean;
  /** Who wants no more of it written out. */
  readonly stoppedBy: UserId | undefined;
  /** Whose it is; undefined where nobody has begun to write it out, or it was forgotten. */
  readonly recordedBy: UserId | undefined;
};

const text = v.object({ S: v.string() });
const pointer = v.object({ by: v.optional(text), stopped: v.optional(text) });

/** Reads all of it at once: it is asked for before each piece that is sent. */
export async function readSignal(
  { dynamo, table: TableName }: TurnsConfig,
  ref: RecordingRef,
): Promise<RecordingSignal> {
  const [gone, own] = [goneOf(ref), pointerOf(ref)];
  const { Items = [] } = await dynamo.query({
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': own.pk, ':first': gone.sk, ':last': own.sk },
    ConsistentRead: true,
  });
  const at = (sk: string) => Items.find((item) => item['sk']?.S === sk);
  const { by, stopped } = v.parse(pointer, at(own.sk.S) ?? {});
  return {
    gone: at(gone.sk.S) !== undefined,
    stoppedBy: stopped && userId(stopped.S),
    recordedBy: by && userId(by.S),
  };
}

/** Tells whoever writes a recording out to stop, or with nobody given to go on. Says whether the recording is known. */
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
  return ignoreConditionFailure(dynamo.update({ TableName, Key: pointerOf(ref), ...change, ...only }));
}
