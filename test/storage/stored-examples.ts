import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';

/** Reads a file of `kept`. */
export const readStored = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(import.meta.dirname, 'kept', name), 'utf8'));

const binary = v.pipe(
  v.object({ base64: v.string() }),
  v.transform(({ base64 }) => new Uint8Array(Buffer.from(base64, 'base64'))),
);
const value = v.union([
  v.strictObject({ S: v.string() }),
  v.strictObject({ N: v.string() }),
  v.strictObject({ B: binary }),
  v.strictObject({ BOOL: v.boolean() }),
  v.strictObject({ SS: v.array(v.string()) }),
  v.strictObject({ L: v.array(v.strictObject({ S: v.string() })) }),
]);

/** Reads the items that earlier versions wrote. */
export const readItems = async () =>
  v.parse(v.array(v.record(v.string(), value)), await readStored('items.json'));
