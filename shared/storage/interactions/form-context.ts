import * as v from 'valibot';
import { targetMessageSchema, type TargetMessage } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { noteKey, type NotePlace } from './front-store.ts';

const shape = v.object({ note: v.object({ S: v.string() }), ttl: v.object({ N: v.string() }) });

/** Returns the target message for which a front opened a modal; undefined if it has expired. */
export async function findTargetMessage(
  { dynamo, table, now }: { readonly dynamo: Dynamo; readonly table: string; readonly now: () => number },
  call: string,
  place: NotePlace,
): Promise<TargetMessage | undefined> {
  const { Item } = await dynamo.get({ TableName: table, Key: noteKey(call, place) });
  const { success, output } = v.safeParse(shape, Item);
  if (!success || Number(output.ttl.N) <= now() / 1_000) return undefined;
  const target = v.safeParse(targetMessageSchema, JSON.parse(output.note.S));
  return target.success ? target.output : undefined;
}
