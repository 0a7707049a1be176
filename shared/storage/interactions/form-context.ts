import * as v from 'valibot';
import { targetMessageSchema, type TargetMessage, type UserId } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { noteKey } from './discord-front-store.ts';

const shape = v.object({ note: v.object({ S: v.string() }) });

/** The message that a person pointed at when a front opened a form for that call; undefined once it is forgotten. */
export async function targetMessageIn(
  { dynamo, table }: { readonly dynamo: Dynamo; readonly table: string },
  call: string,
  by: UserId,
): Promise<TargetMessage | undefined> {
  const { Item } = await dynamo.get({ TableName: table, Key: noteKey(call, by) });
  const { success, output } = v.safeParse(shape, Item);
  if (!success) return undefined;
  const pointed = v.safeParse(targetMessageSchema, JSON.parse(output.note.S));
  return pointed.success ? pointed.output : undefined;
}
