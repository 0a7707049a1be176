import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { percentile } from '../report-table.ts';
import type { Figure, Section } from './figures.ts';

/** The median and the quartiles of the values of all runs. */
const summary = v.object({ median: v.number(), low: v.number(), high: v.number(), count: v.number() });
export type Summary = v.InferOutput<typeof summary>;

const figure = v.object({
  what: v.string(),
  unit: v.string(),
  digits: v.optional(v.number()),
  isGain: v.optional(v.boolean()),
  /** Of each subject. Null: it never got there. */
  values: v.record(v.string(), v.nullable(summary)),
});
const section = v.object({
  title: v.string(),
  text: v.string(),
  figures: v.array(figure),
  notes: v.optional(v.array(v.string())),
  /** When it was measured (year-month-day). */
  day: v.string(),
});
const results = v.record(v.string(), v.array(section));

export type StoredFigure = v.InferOutput<typeof figure>;
export type StoredSection = v.InferOutput<typeof section>;

/** The sections of each part of the suite. */
export type StoredResults = v.InferOutput<typeof results>;

const PATH = join(import.meta.dirname, 'results.json');

/** The results of earlier runs: a run of some parts keeps those of the others. */
export const readResults = (): StoredResults =>
  existsSync(PATH) ? v.parse(results, JSON.parse(readFileSync(PATH, 'utf8'))) : {};

/** Stores the sections of a part in place of its earlier ones. Returns all results. */
export function storeResults(part: string, sections: readonly Section[], day: string): StoredResults {
  const all = { ...readResults(), [part]: sections.map((one) => summarize(one, day)) };
  writeFileSync(PATH, `${JSON.stringify(all, undefined, 2)}\n`);
  return all;
}

const summarize = ({ title, text, figures, notes = [] }: Section, day: string): StoredSection => ({
  title,
  text,
  notes: [...notes],
  day,
  figures: figures.map(({ values, ...rest }: Figure) => ({
    ...rest,
    values: Object.fromEntries(Object.entries(values).map(([name, measured]) => [name, summaryOf(measured)])),
  })),
});

function summaryOf(measured: readonly number[]): Summary | null {
  if (measured.length === 0) return null;
  const at = (share: number): number => Math.round(1_000 * percentile(measured, share)) / 1_000;
  return { median: at(0.5), low: at(0.25), high: at(0.75), count: measured.length };
}
