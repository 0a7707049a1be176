import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import * as v from 'valibot';

const require = createRequire(import.meta.url);
// oxlint-disable-next-line typescript/no-unsafe-assignment, typescript/consistent-type-imports -- part of jest, with the types of its CommonJS form
const { default: Sequencer }: typeof import('@jest/test-sequencer') = require('@jest/test-sequencer');

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];
type Test = Tests[number];

/** Seconds of each long suite, for a machine that has not run it. The reporter (slowest.ts) prints the slowest suites of a run. */
const SECONDS: Readonly<Record<string, number>> = v.parse(
  v.record(v.string(), v.number()),
  JSON.parse(readFileSync(new URL('long-suites.json', import.meta.url), 'utf8')),
);

/** A journey starts a system; most other suites are shorter. */
const JOURNEY_SECONDS = 4;

/**
 * Runs the longest suites first, so that none of them is left alone at the end. Where jest knows how long each suite took, its own
 * order does that, with suites that failed before all others.
 */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    // oxlint-disable-next-line unicorn/no-array-sort -- jest's method
    const sorted = await super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const suites = sorted.map((one) => ({ one, name: getName(one), seconds: getSeconds(one) }));
    return orderBySeconds(suites).map(({ one }) => one);
  }
}

/** A suite, and its seconds where it ran on this machine before. */
type Suite = { readonly name: string; readonly seconds?: number | undefined };

/** The suites in the order of their times: measured here, as listed, or a guess. */
export function orderBySeconds<One extends Suite>(suites: readonly One[]): One[] {
  const getTime = ({ name, seconds }: Suite): number =>
    seconds ?? SECONDS[name] ?? (name.startsWith('test/journeys/') ? JOURNEY_SECONDS : 0);
  return suites.toSorted((a, b) => getTime(b) - getTime(a));
}

const getName = ({ path, context }: Test): string =>
  relative(context.config.rootDir, path).replaceAll('\\', '/');

const getSeconds = ({ duration }: Test): number | undefined =>
  duration === undefined ? undefined : duration / 1_000;
