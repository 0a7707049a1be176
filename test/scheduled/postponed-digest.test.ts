import { beforeEach, describe, expect, test } from '@jest/globals';
import { BudgetExceededError } from '../../shared/billing/index.ts';
import { messageId, userId } from '../../shared/domain/index.ts';
import { HistoryUnavailableError } from '../../shared/platforms/ports/index.ts';
import { RateLimitExceededError } from '../../shared/rate-limits/index.ts';
import { RateLimitedError } from '../../shared/upstream/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { DAY_MS, FRIDAY, MONDAY, scheduleHarness } from './schedule-harness.ts';

const LIMITED = new RateLimitedError('limited', { status: 429, retryAfterMs: 120_000 });

const exceededBudget = (shortage: 'held' | 'over') =>
  new BudgetExceededError(
    { platform: 'slack', zone: 'UTC' },
    { scope: 'workspace', period: 'day', account: 'a', limit: { requests: 1 } },
    MONDAY,
    shortage,
  );

let at: Awaited<ReturnType<typeof scheduleHarness>>;
/** What the next requests to the model come to; then each is answered. */
let failures: Error[];
let requests: number;

beforeEach(async () => {
  at = await scheduleHarness();
  failures = [];
  requests = 0;
  Object.assign(at.context.chat, {
    stream: async function* () {
      const failure = failures.shift();
      if (failure) throw failure;
      requests += 1;
      yield { type: 'end', text: 'Ada wrote [1].', finish: 'stop', model: 'm' };
    },
  });
  await at.type('schedule every weekday at 9 digest:week');
  addMessages(1);
});

/** Adds long messages of the day before. */
function addMessages(count: number): void {
  const more = Array.from({ length: count }, (_, n) => ({
    id: messageId(`${n}`),
    at: FRIDAY - DAY_MS + n,
    author: 'Ada',
    by: userId('U1'),
    text: 'word '.repeat(600),
    link: `https://example.com/${n}`,
  }));
  at.history.push(...more);
}

/** Lets the sweeper enqueue what is due at a moment, and delivers it once. */
async function deliverAt(ms: number, isLast = false) {
  at.time.advance(ms - at.time.now());
  at.queue.sent.splice(0);
  await at.sweep();
  const [task] = at.queue.sent.splice(0);
  if (!task) throw new Error('nothing is due');
  return dispatchTask(task.body, at.context, { deadline: ms + 60_000, isRedelivery: false, isLast });
}

describe('a digest that has to wait for a limit', () => {
  test.each([
    ['a 429', LIMITED, 90_000],
    ['a short wait', new RateLimitExceededError(40_000), 40_000],
    ['a budget whose rest is reserved', exceededBudget('held'), 15_000],
  ])('of the models (%s) returns to the queue, and is no failure', async (_, failure, afterMs) => {
    failures = [failure];
    expect(await deliverAt(FRIDAY)).toEqual({ kind: 'later', afterMs });
    expect(at.posts()).toEqual([]);
    expect(await deliverAt(FRIDAY + afterMs)).toEqual({ kind: 'done' });
    expect(at.posts()).toEqual([expect.stringContaining('Ada wrote')]);
  });

  test('of Slack or Discord returns to the queue, and raises no alarm', async () => {
    const { platform } = at.context;
    const readHistory = platform.readHistory.bind(platform);
    platform.readHistory = () =>
      Promise.reject(new HistoryUnavailableError('slowed', { retryAfterMs: 60_000 }));
    expect(await deliverAt(FRIDAY)).toEqual({ kind: 'later', afterMs: 60_000 });
    platform.readHistory = readHistory;
    expect(await deliverAt(FRIDAY + 60_000)).toEqual({ kind: 'done' });
    expect(at.posts()).toEqual([expect.stringContaining('Ada wrote')]);
  });

  test('stays due after its last delivery, so that the sweeper enqueues it again', async () => {
    failures = [LIMITED];
    expect(await deliverAt(FRIDAY + 600_000, true)).toEqual({ kind: 'done' });
    expect(at.posts()).toEqual([]);
    expect(await at.list()).toMatchObject([{ dueMs: FRIDAY }]);
    await deliverAt(FRIDAY + 900_000);
    expect(at.posts()).toEqual([expect.stringContaining('Ada wrote')]);
  });

  test('does not wait for a budget that is used up', async () => {
    failures = [exceededBudget('over')];
    expect(await deliverAt(FRIDAY)).toEqual({ kind: 'done' });
    expect(at.posts()).toEqual([expect.stringMatching(/This run failed: .*budget/u)]);
  });

  test('fails once it is an hour late; the channel is told', async () => {
    failures = [LIMITED];
    expect(await deliverAt(FRIDAY + 3_600_000)).toEqual({ kind: 'done' });
    expect(at.posts()).toEqual([expect.stringMatching(/This run failed: .*limit/u)]);
    expect(await at.list()).toMatchObject([{ dueMs: MONDAY }]);
  });
});

test('a digest that is enqueued again does not request and pay its finished parts again', async () => {
  addMessages(60);
  await deliverAt(FRIDAY);
  const whole = requests;
  expect(whole).toBeGreaterThan(2);
  at.history.splice(0);
  addMessages(60);
  for (const message of at.history) Object.assign(message, { at: message.at + 3 * DAY_MS });
  requests = 0;
  const stream = at.context.chat.stream.bind(at.context.chat);
  // All parts are answered, and the request that combines them is not.
  at.context.chat.stream = (...args) => {
    if (requests === whole - 1) failures = [LIMITED];
    return stream(...args);
  };
  expect(await deliverAt(MONDAY)).toMatchObject({ kind: 'later' });
  expect(requests).toBe(whole - 1);
  at.context.chat.stream = stream;
  expect(await deliverAt(MONDAY + 600_000)).toEqual({ kind: 'done' });
  expect(requests).toBe(whole);
});
