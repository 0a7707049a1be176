import { expect, test } from '@jest/globals';
import { startWithUsers } from '../journeys/simultaneous-questions.ts';
import { findViolations } from './find-violations.ts';
import type { UserAction, ScenarioResult, CompletedAction } from './options.ts';
import { EFFECT_TIMEOUT_MS } from './user-actions.ts';
import { T0 } from './times.ts';
import { runScenario } from './scenario.ts';

const PEOPLE = 60;
/** The first report of a wait comes after this time, when all simultaneous askers are in the queue. */
const SETTLED_MS = 1_500;
const { users } = startWithUsers(PEOPLE);
const LIMIT = { perMinute: 30, burst: 10 };
const INTERVAL_MS = 60_000 / LIMIT.perMinute;
const QUESTIONS = users
  .slice(-PEOPLE)
  .map(({ id }, thread) => ({ text: `${thread}?`, afterMs: 0, thread, person: id }));

/** With sessions Slack shows its own Stop; otherwise a status text. */
const SESSIONS = { users };
const WORDS = { users, refusedApis: { 'agents.sessions': 'feature_disabled' } } as const;

/** The same action on every third question, while nearly all wait. */
const actsOf = (what: UserAction['what'], afterMs: number): UserAction[] =>
  QUESTIONS.flatMap((_, question) =>
    question % 3 === 2 ? [{ what, question, afterMs: afterMs + question }] : [],
  );

const waitingActions = ({ endedAt }: ScenarioResult, done: readonly CompletedAction[]) =>
  done.filter(({ ts, atMs }) => (endedAt.get(ts) ?? Infinity) >= atMs);

/** When the last answered question ended, from the start (ms). */
const lastMs = ({ endedAt, questionIds }: ScenarioResult): number =>
  Math.max(...endedAt.values()) - 1_000 * Number(questionIds[0]);

test.each(['message', 'invocation'] as const)(
  'Stop ends a waiting question within two seconds, and its position is free (a group is free with its %s)',
  async (groupLock) => {
    const acts = actsOf('stop', 10_000);
    const end = await runScenario({
      questions: QUESTIONS,
      limit: LIMIT,
      identity: SESSIONS,
      acts,
      groupLock,
      plan: () => undefined,
    });
    expect(findViolations(end)).toEqual([]);
    const stopped = waitingActions(end, end.done);
    expect(stopped.length).toBeGreaterThan(10);
    expect(
      stopped.filter(({ ts, atMs }) => (end.endedAt.get(ts) ?? Infinity) > atMs + EFFECT_TIMEOUT_MS),
    ).toEqual([]);
    expect(stopped.filter(({ isInQueueAfter }) => isInQueueAfter)).toEqual([]);
    expect(end.requests).toBe(PEOPLE - stopped.length);
    expect(lastMs(end)).toBeLessThan((end.requests - LIMIT.burst + 1) * INTERVAL_MS * 1.05 + 2_000);
  },
);

test.each([
  ['with sessions', SESSIONS],
  ['without', WORDS],
])(
  'a question that is deleted while it waits disappears within two seconds, and its position is free (%s)',
  async (_, identity) => {
    const end = await runScenario({
      questions: QUESTIONS,
      limit: LIMIT,
      identity,
      acts: actsOf('delete', 10_000),
      plan: () => undefined,
    });
    expect(findViolations(end)).toEqual([]);
    const deleted = end.done.filter(({ ts }) => !end.endedAt.has(ts));
    expect(deleted.length).toBeGreaterThan(10);
    expect(
      deleted.filter(({ ts, atMs }) => (end.clearedAt.get(ts) ?? Infinity) > atMs + EFFECT_TIMEOUT_MS),
    ).toEqual([]);
    expect(deleted.filter(({ isInQueueAfter }) => isInQueueAfter)).toEqual([]);
    expect(lastMs(end)).toBeLessThan((end.requests - LIMIT.burst + 1) * INTERVAL_MS * 1.05 + 2_000);
  },
);

test('a question that is edited while it waits keeps its position, and has its new text within two seconds', async () => {
  const end = await runScenario({
    questions: QUESTIONS,
    limit: LIMIT,
    identity: WORDS,
    acts: actsOf('edit', 10_000),
    plan: () => undefined,
  });
  expect(findViolations(end)).toEqual([]);
  const later = EFFECT_TIMEOUT_MS + SETTLED_MS;
  const edited = end.done.filter(({ ts, atMs }) => (end.endedAt.get(ts) ?? Infinity) > atMs + later);
  expect(edited.length).toBeGreaterThan(10);
  expect(edited.filter(({ isInQueueAfter }) => !isInQueueAfter)).toEqual([]);
  const toldAgain = ({ ts, atMs }: CompletedAction) =>
    end.notices.some((one) => one.to === ts && one.atMs > atMs && one.atMs <= atMs + later);
  expect(edited.filter((one) => !toldAgain(one))).toEqual([]);
  expect(lastMs(end)).toBeLessThan((PEOPLE - LIMIT.burst) * INTERVAL_MS * 1.05 + 2_000);
});

/** Of these four questions the first is answered at once, and the others wait: they go back to the queue, are looked at, and go back again. */
const FEW = QUESTIONS.slice(0, 4).map((question, n) => ({ ...question, afterMs: 100 * n }));
const FEW_PLAYED = { questions: FEW, limit: { perMinute: 1, burst: 1 }, identity: SESSIONS };
/** They do so for the second time before this (ms). */
const LOOKED_AT_MS = 40_000;

/** The steps of a worker from the write of a receipt until its message is hidden: number, time (ms from the start). */
async function stepsOfReturns() {
  const { harness } = await runScenario({ ...FEW_PLAYED, plan: () => undefined });
  const returning = new Set<string>();
  return harness.points.flatMap(({ process, at }, index) => {
    const step = harness.trace[index] ?? '';
    if (step.includes('receipt = :receipt')) returning.add(process);
    if (!returning.has(process)) return [];
    if (step.endsWith(' hide')) returning.delete(process);
    return at < T0 + LOOKED_AT_MS ? [{ index, afterMs: at - T0 }] : [];
  });
}

test.each(['stop', 'delete'] as const)(
  'a question of which somebody does this while it goes back to the queue, however long that takes, ends within two seconds: %s',
  async (what) => {
    const steps = await stepsOfReturns();
    expect(steps.length).toBeGreaterThan(10);
    let acted = 0;
    for (const { index, afterMs } of steps) {
      // The step takes twelve seconds, and the action comes meanwhile.
      const acts = [1, 2, 3].map((question) => ({ what, question, afterMs: afterMs + 4_000 }));
      const end = await runScenario({
        ...FEW_PLAYED,
        acts,
        plan: (point) => (point === index ? 'slow' : undefined),
      });
      expect(findViolations(end)).toEqual([]);
      const doneAt = what === 'stop' ? end.endedAt : end.clearedAt;
      for (const { ts, atMs } of end.done) {
        acted += 1;
        expect(doneAt.get(ts)).toBeLessThanOrEqual(atMs + EFFECT_TIMEOUT_MS);
      }
    }
    expect(acted).toBeGreaterThan(2 * steps.length);
  },
);
