import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

/** A row binds the client, the simulator or both; `N` stands for a decision where the service documents nothing. */
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

/**
 * What the test of a row ran: the client against hand-written bytes in every framing, against hand-written bytes,
 * against our simulator, or only the simulator.
 */
export const EVIDENCE = ['framed bytes', 'bytes', 'client on simulator', 'simulator'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** The rows of the upstream's requirement list, in its order. */
export const ROWS: readonly Row[] = Object.entries(
  v.parse(table, JSON.parse(readFileSync(join(import.meta.dirname, 'rows.json'), 'utf8'))),
).map(([id, [who, title, notApplicable]]) => ({
  id,
  group: id.slice(0, id.indexOf('-')),
  side: who,
  title,
  notApplicable,
}));

const rowsById = new Map(ROWS.map((each) => [each.id, each]));

/** Returns the title of a row's test. Throws for an unknown row. */
export function row(id: string): string {
  return `${id} ${titleOf(id)}`;
}

/** Returns the title of the test that holds the client to a row over hand-written bytes. Throws for an unknown row. */
export function onBytes(id: string): string {
  return `${id} over hand-written bytes: ${titleOf(id)}`;
}

function titleOf(id: string): string {
  const title = rowsById.get(id)?.title;
  if (title === undefined) throw new RangeError(`There is no row ${id}.`);
  return title;
}
