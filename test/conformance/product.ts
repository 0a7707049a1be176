import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Row } from './rows.ts';

const table = v.strictObject({
  /** Journeys through Slack or Discord: a file of test/journeys, and what happens in it. */
  journeys: v.record(v.string(), v.strictObject({ file: v.string(), what: v.string() })),
  /** The journeys that use a row, by the names above. */
  used: v.record(v.string(), v.array(v.string())),
  /** Why no user of the bot can want a row. */
  reasons: v.record(v.string(), v.string()),
  /** Rows that bind only the service and describe a feature that a user can want. */
  features: v.array(v.string()),
});

export const PRODUCT = v.parse(
  table,
  JSON.parse(readFileSync(join(import.meta.dirname, 'product.json'), 'utf8')),
);

/** How the bot uses a row. */
export type ProductUse =
  | { readonly kind: 'journey'; readonly journeys: readonly string[] }
  | { readonly kind: 'reason'; readonly reason: string }
  | { readonly kind: 'not yet' }
  /** The row describes the service, and asks nothing of its clients. */
  | { readonly kind: 'service only' };

/** Returns how the bot uses a row. */
export function productUse({ id, side }: Row): ProductUse {
  const journeys = PRODUCT.used[id];
  if (journeys !== undefined) return { kind: 'journey', journeys };
  const reason = PRODUCT.reasons[id];
  if (reason !== undefined) return { kind: 'reason', reason };
  return side === 'S' && !PRODUCT.features.includes(id) ? { kind: 'service only' } : { kind: 'not yet' };
}
