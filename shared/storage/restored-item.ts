/** An item as DynamoDB's protocol has it. */
type RawItem = { readonly pk: { readonly S: string }; readonly [attribute: string]: unknown };

/** The partitions of schedules: see `schedules/schedules.ts`. */
const SCHEDULE_PREFIX = 'SCHEDULE#';

/**
 * Returns what is written of an item of the conversations table that is restored from a backup. Unfinished turns and videos are not resumed:
 * nobody waits for them any more. Schedules keep their next run.
 */
export function toRestoredItem(item: RawItem): RawItem {
  if (item.pk.S.startsWith(SCHEDULE_PREFIX)) return item;
  const { open: _open, due: _due, ...rest } = item;
  return rest;
}
