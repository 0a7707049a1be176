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
const OTHER_SECONDS = 0.3;

/** Suites that wait for most of their time: for clients that come back, processes that start, pages that load. */
const WAITING = /^test\/(?:infra\/(?:local|parley)|journeys|kills|pages|samples)\//u;

/**
 * Runs the longest suites first, so that none of them is left alone at the end, and suites that wait beside suites that compute. Where jest
 * knows how long each suite took, its own order does the first, with suites that failed before all others.
 */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    // oxlint-disable-next-line unicorn/no-array-sort -- jest's method
    const sorted = await super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const suites = sorted.map((one) => ({ one, name: getName(one), seconds: getSeconds(one) }));
    return mixWaiting(orderBySeconds(suites)).map(({ one }) => one);
  }
}

/** A suite, and its seconds where it ran on this machine before. */
type Suite = { readonly name: string; readonly seconds?: number | undefined };

/** The time of a suite: measured here, as listed, or a guess. */
const timeOf = ({ name, seconds }: Suite): number =>
  seconds ?? SECONDS[name] ?? (name.startsWith('test/journeys/') ? JOURNEY_SECONDS : OTHER_SECONDS);

/** The suites in the order of their times. */
export const orderBySeconds = <One extends Suite>(suites: readonly One[]): One[] =>
  suites.toSorted((a, b) => timeOf(b) - timeOf(a));

/** Distributes the suites that wait evenly over the time of the others, so that the processors always have work. Both keep their order. */
export function mixWaiting<One extends Suite>(suites: readonly One[]): One[] {
  const waiting = suites.filter(({ name }) => WAITING.test(name));
  const others = suites.filter(({ name }) => !WAITING.test(name));
  return [...placesOf(waiting), ...placesOf(others)]
    .toSorted((a, b) => a.place - b.place)
    .map(({ suite }) => suite);
}

/** Where each suite begins, as a part of the time of all. */
function placesOf<One extends Suite>(suites: readonly One[]): { suite: One; place: number }[] {
  const total = suites.reduce((sum, suite) => sum + timeOf(suite), 0);
  let begin = 0;
  return suites.map((suite) => {
    const place = begin / total;
    begin += timeOf(suite);
    return { suite, place };
  });
}

const getName = ({ path, context }: Test): string =>
  relative(context.config.rootDir, path).replaceAll('\\', '/');

const getSeconds = ({ duration }: Test): number | undefined =>
  duration === undefined ? undefined : duration / 1_000;
