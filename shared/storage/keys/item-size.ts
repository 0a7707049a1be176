import type { Item } from './item-keys.ts';

/** Returns the size of items (bytes), estimated: texts and compressed texts are nearly all of it. */
export function estimateBytes(items: Iterable<Item>): number {
  let bytes = 0;
  for (const item of items)
    for (const { B, S } of Object.values(item)) bytes += B?.byteLength ?? S?.length ?? 0;
  return bytes;
}

/** Returns the write units of deleting or changing items, estimated: one for each KB that an item has or begins, and one for its index entry. */
export const estimateWriteUnits = (items: readonly Item[]): number =>
  2 * items.length + estimateBytes(items) / 1_024;
