import { expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { mixWaiting, orderBySeconds } from './sequencer.ts';
import { listSlowest } from './slowest.ts';

const LISTED = v.parse(
  v.record(v.string(), v.number()),
  JSON.parse(readFileSync(join(import.meta.dirname, 'long-suites.json'), 'utf8')),
);

test('each listed suite exists', () => {
  const missing = Object.keys(LISTED).filter((name) => !existsSync(join(import.meta.dirname, '../..', name)));
  expect(missing).toEqual([]);
});

test('a suite starts before shorter ones: by its time here, by the list, a journey by a guess, and else last', () => {
  const [listed = '', seconds = 0] = Object.entries(LISTED)[0] ?? [];
  const suites = [
    { name: 'test/utils/short.test.ts' },
    { name: 'test/journeys/new.test.ts' },
    { name: 'test/utils/measured.test.ts', seconds: seconds + 1 },
    { name: listed },
  ];
  expect(orderBySeconds(suites).map(({ name }) => name)).toEqual([
    'test/utils/measured.test.ts',
    listed,
    'test/journeys/new.test.ts',
    'test/utils/short.test.ts',
  ]);
});

test('suites that wait are distributed over the time of those that compute, the longest of both first', () => {
  const waiting = [40, 20, 20].map((seconds, n) => ({ name: `test/journeys/w${n}.test.ts`, seconds }));
  const computing = [10, 10, 10, 10].map((seconds, n) => ({ name: `test/faults/c${n}.test.ts`, seconds }));
  const names = mixWaiting([...waiting, ...computing]).map(({ name }) => name.slice(-10, -8));
  expect(names).toEqual(['w0', 'c0', 'c1', 'w1', 'c2', 'w2', 'c3']);
});

test('the slowest suites are listed with their processor time, and the sums of all', () => {
  const suites = Array.from({ length: 30 }, (_, n) => ({
    name: `s${n}`,
    seconds: n,
    processorSeconds: n / 2,
  }));
  const lines = listSlowest(suites).trimEnd().split('\n');
  expect(lines.filter((line) => / s\d+$/u.test(line))).toHaveLength(20);
  expect(lines.find((line) => line.endsWith(' s29'))).toMatch(/29\.0 +14\.5/u);
  expect(lines.at(-1)).toMatch(/435\.0 +217\.5 +all 30 suites$/u);
});
