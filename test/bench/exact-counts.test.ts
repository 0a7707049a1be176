import { expect, test } from '@jest/globals';
import { measureTurns } from './capacity.ts';
import { callsOf } from './showing.ts';

const TURNS = 30;
const GAP_MS = 60_000;
/** The history grows, and is cut to 60 % of its limit when it reaches it: five turns later again. */
const FIRST_READS = [0.5, 1.5, 2, 2, 2, 2.5, 2.5, 2.5, 3, 3];
const CYCLE_READS = [3, 2.5, 2.5, 3, 3];

// A change of these figures changes the bill. Change them here, in docs/deploying.md and in the changelog.
test('a turn of 2 KB takes exactly so many units of the tables, at the start of a thread and far into it', async () => {
  const turns = await measureTurns(TURNS, GAP_MS);
  expect(turns.map(({ writes }) => writes)).toEqual(Array.from({ length: TURNS }, () => 7));
  const cycles = Array.from({ length: 4 }, () => CYCLE_READS).flat();
  expect(turns.map(({ reads }) => reads)).toEqual([...FIRST_READS, ...cycles]);
});

/** A question of a line, and an answer of 100 tokens. */
const SHORT_TURN = { question: 100, answer: 400 };

test('a turn of 100 tokens takes six write units and at most three read units, also when the history is cut', async () => {
  const turns = await measureTurns(TURNS, GAP_MS, SHORT_TURN);
  expect(new Set(turns.map(({ writes }) => writes))).toEqual(new Set([6]));
  expect(Math.max(...turns.map(({ reads }) => reads))).toBe(3);
});

test('an answer of 100 and of 1,000 tokens takes exactly so many requests to Slack', async () => {
  expect([await callsOf(100), await callsOf(1_000)]).toEqual([3, 15]);
});

/** The history is cut every five turns, see `FIRST_READS`. */
const WHOLE_CYCLES = 4 * CYCLE_READS.length;

test('of the prompts of a long thread, exactly so many bytes repeat the start of the prompt before', async () => {
  const prompts = (await measureTurns(TURNS, GAP_MS)).map(({ prompt }) => prompt);
  const far = TURNS - WHOLE_CYCLES;
  const repeated = prompts.map((prompt, n) => samePrefix(prompts[n - 1] ?? '', prompt));
  const all = sum(prompts.slice(far).map(({ length }) => length));
  expect(Math.round((100 * sum(repeated.slice(far))) / all)).toBe(74);
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** How many characters two texts have in common at their start. An upstream with a cache bills less for them. */
function samePrefix(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}
