import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

/** Whom a row binds: the client, the simulator, both; `N` is not documented, and a decision was taken. */
const side = v.picklist(['C', 'S', 'CS', 'N']);

export type Row = {
  readonly id: string;
  readonly group: string;
  readonly side: v.InferOutput<typeof side>;
  readonly title: string;
  /** Why there is nothing to test. */
  readonly notApplicable: string | undefined;
};

const table = v.record(v.string(), v.tuple([side, v.string(), v.optional(v.string())]));

/** Every row of the upstream's requirement list, in its order. */
export const ROWS: readonly Row[] = Object.entries(
  v.parse(table, JSON.parse(readFileSync(join(import.meta.dirname, 'rows.json'), 'utf8'))),
).map(([id, [who, title, notApplicable]]) => ({
  id,
  group: id.slice(0, id.indexOf('-')),
  side: who,
  title,
  notApplicable,
}));

const known = new Map(ROWS.map((each) => [each.id, each]));

/** The title of a row's test. Throws for a row that there is not. */
export function row(id: string): string {
  const found = known.get(id);
  if (found === undefined) throw new RangeError(`There is no row ${id}.`);
  return `${id} ${found.title}`;
}
