import { expect, test } from '@jest/globals';
import { trimHistory } from '../../shared/domain/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
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

test('an answer of 100 and of 1,000 tokens takes exactly so many requests to Slack', async () => {
  expect([await callsOf(100), await callsOf(1_000)]).toEqual([3, 15]);
});

test('of the prompts of a long thread, exactly so many bytes are those of the prompt before', () => {
  const { bytes } = DEFAULTS.window;
  // A longer history repeats more, but each prompt is as many times as long.
  expect([1, 2, 4].map((times) => Math.round(100 * cacheableShare(times * bytes, 10_000)))).toEqual([
    67, 79, 89,
  ]);
});

const QUESTION_BYTES = 300;
const TURN_BYTES = 2_048;

/** The part of all prompt bytes of a thread that repeats the start of the prompt before: an upstream with a cache bills less for it. */
function cacheableShare(windowBytes: number, turns: number): number {
  const limit = { bytes: windowBytes, tokens: windowBytes };
  let history: { readonly n: number; readonly bytes: number; readonly tokens: number }[] = [];
  let [all, repeated] = [0, 0];
  for (let n = 1; n <= turns; n += 1) {
    const before = history;
    if (n > 1)
      history = trimHistory([...before, { n: n - 1, bytes: TURN_BYTES, tokens: TURN_BYTES / 4 }], limit);
    const prompt = history.length * TURN_BYTES + QUESTION_BYTES;
    all += prompt;
    // The prompt before had this history without its last answer, unless it was cut.
    if (history[0]?.n === (before[0]?.n ?? 1))
      repeated += before.length * TURN_BYTES + (n > 1 ? QUESTION_BYTES : 0);
  }
  return repeated / all;
}
