import { afterAll, expect, test } from '@jest/globals';
import { dataFolder } from '../journeys/harness.ts';
import type { UpstreamSimulator } from '../simulators/upstream/index.ts';
import { answersTo, isDue, question } from './expectation.ts';
import { countAnswers, Payments } from './payments.ts';
import { actionsNamed, planRound } from './plan.ts';
import { killInRounds } from './rounds.ts';

const folder = dataFolder();
afterAll(() => folder.remove());

test('after SIGKILLs under load, each accepted message ends once and correctly', async () => {
  const report = await killInRounds({
    directory: folder.path,
    kills: 3,
    seed: SEED,
    perRound: 3,
    // Long, because other tests use the machine at the same time.
    withinMs: 150_000,
    afterwardsMs: 0,
    say: () => {},
  });
  expect(report.wrong).toEqual([]);
  expect(report.kills).toBe(3);
  expect(report.expectations).toBeGreaterThan(2);
  expect(report.accepted).toBeGreaterThan(0);
});

/** A plan without the kill of a worker, whose hidden messages would take 20 s to be redelivered, and without results that are due later. */
const SEED = 24;

function plan(nth: number): string {
  const { kills, deeds } = planRound(7, nth, 8);
  return JSON.stringify([kills, deeds.map(({ atMs, deed, random }) => [atMs, deed, random()])]);
}

test('the same seed and round number plan the same round; another number plans another', () => {
  expect(plan(3)).toBe(plan(3));
  expect(plan(3)).not.toBe(plan(4));
});

test('a round has only the actions that are named; an unknown name is refused', () => {
  const { deeds } = planRound(7, 3, 8, actionsNamed(['schedule', 'forget']));
  expect([...new Set(deeds.map(({ deed }) => deed))].toSorted()).toEqual(['forget', 'schedule']);
  expect(() => actionsNamed(['scedule'])).toThrow('There is no action scedule. There are: thread, ');
});

test('a result that is due after the last start of a round is left to the next round', () => {
  const later = { mark: 'k1x', dueAt: 60_000 };
  expect([isDue({}, 1), isDue({ later }, 59_999), isDue({ later }, 60_000)]).toEqual([true, false, true]);
});

test('a missing, duplicate or truncated answer is detected', () => {
  const whole = question('k1x').replace('[[sim:echo]] ', '');
  expect(answersTo([`Well: ${whole}`], 'k1x')).toEqual({ whole: 1, half: 0 });
  expect(answersTo([whole], 'k11x')).toEqual({ whole: 0, half: 0 });
  expect(answersTo([whole, whole], 'k1x')).toEqual({ whole: 2, half: 0 });
  expect(answersTo([whole.slice(0, -10)], 'k1x')).toEqual({ whole: 0, half: 1 });
  expect(answersTo([whole.slice(0, -10), whole], 'k1x')).toEqual({ whole: 1, half: 1 });
});

/** The journal of the models, and a request with the question with this marker. */
function journalOf(mark: string) {
  const journal: UpstreamSimulator['journal'][number][] = [];
  const ask = (ended: 'whole' | 'gone') => {
    const body = { messages: [{ role: 'user', content: question(mark) }] };
    const entry = { at: 0, method: 'POST', path: '/v1/chat/completions', headers: {}, status: 200 };
    journal.push({ ...entry, n: journal.length + 1, body, code: undefined, faults: [], ended });
  };
  return { journal, ask };
}

test('a question with more model requests than kills, or with requests after its round, counts as paid twice', () => {
  const { journal, ask } = journalOf('k1x');
  const payments = new Payments({ journal });
  ask('gone');
  ask('whole');
  ask('whole');
  expect(payments.wrongIn(1)).toEqual([]);
  expect(payments.counts()).toEqual({ answers: 2, answeredAgain: 1 });
  ask('gone');
  expect(payments.wrongIn(1)).toEqual(['k1x is asked though its round is over']);
  const strict = new Payments({ journal });
  expect(strict.wrongIn(0)).toEqual(['k1x is answered 2 times by the models, with 0 kills']);
  const regenerated = new Payments({ journal });
  expect(regenerated.wrongIn(0, new Map([['k1x', 1]]))).toEqual([]);
  expect(regenerated.counts()).toEqual({ answers: 2, answeredAgain: 0 });
  expect(countAnswers({ journal }, 'k1x')).toBe(2);
});

test('a question that is due in a later round may be asked there too', () => {
  const { journal, ask } = journalOf('k1x');
  const payments = new Payments({ journal });
  ask('gone');
  expect(payments.wrongIn(1, new Map(), new Set(['k1x']))).toEqual([]);
  ask('whole');
  expect(payments.wrongIn(0)).toEqual([]);
  ask('whole');
  expect(payments.wrongIn(0)).toEqual(['k1x is asked though its round is over']);
});
