import { describe, expect, test } from '@jest/globals';
import { onAction } from '../../shared/commands/definitions/animate.ts';
import { startJob, proposeJob, confirmJob } from '../../shared/video/propose-job.ts';
import { ENDPOINT_LIMITS } from '../../shared/rate-limits/index.ts';
import { TokenBuckets, KeyRateLimiter } from '../../shared/storage/index.ts';
import {
  AuthError,
  MalformedAnswerError,
  RateLimitedError,
  ServerError,
} from '../../shared/upstream/index.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { videoRequest, person, VideoHarness } from './video-harness.ts';
import { buttonPress, delivery } from './video-interactions.ts';

const OTHER = { priority: 'person', maxWaitMs: 120_000 } as const;

/** A context with the video rate limiter over these keys, and the response to each request. */
function limited(keys: string[]) {
  const w = new VideoHarness();
  const now = () => w.now;
  const permits = new KeyRateLimiter({
    buckets: new TokenBuckets(w.memory, 'tokens', now),
    random: createSeededRandom(1),
    family: 'video',
    limit: ENDPOINT_LIMITS.video,
    keys: () => Promise.resolve(keys),
    now,
  });
  w.videoPermits = permits;
  const { submit } = w.vision;
  const submissions: string[] = [];
  const moments: number[] = [];
  let answer: (() => Error | undefined) | undefined;
  const limitedSubmit: typeof submit = async (request, options = {}) => {
    await options.beforeAttempt?.(1, new AbortController().signal);
    submissions.push(request.idempotencyKey ?? '');
    moments.push(w.now);
    const error = answer?.();
    if (error instanceof RateLimitedError) options.onRateLimit?.({ status: 429, retryAfterMs: 1_000 });
    if (error) throw error;
    return submit(request, options);
  };
  w.vision = { ...w.vision, submit: limitedSubmit };
  const jobs = () => w.context().videos.jobs.listByPerson(person, 100);
  return {
    w,
    permits,
    submissions,
    moments,
    jobs,
    answers: (next: () => Error | undefined) => (answer = next),
  };
}

const askFor = async (w: VideoHarness, count: number) => {
  for (let n = 0; n < count; n += 1) await startJob(videoRequest({ requestKey: `wish-${n}` }), w.context());
};

/** The maximum number within any minute. */
const mostInMinute = (moments: readonly number[]): number =>
  Math.max(...moments.map((at, n) => moments.slice(n).filter((one) => one < at + 60_000).length));

test('jobs are submitted at the rate limit, and waiting does not end them', async () => {
  const { w, submissions, moments, jobs } = limited(['one']);
  await askFor(w, 100);
  await w.serve();
  await w.pass(100);
  expect(new Set(submissions).size).toBe(100);
  expect(mostInMinute(moments)).toBeLessThanOrEqual(
    ENDPOINT_LIMITS.video.perMinute + ENDPOINT_LIMITS.video.burst,
  );
  expect((await jobs()).every(({ state }) => state === 'delivered')).toBe(true);
});

test('a longer wait is shown on the card until the job continues', async () => {
  const { w, permits, submissions, jobs } = limited(['one']);
  for (let n = 0; n < 12; n += 1) await permits.take({ ...OTHER, person: `other${n}` });
  await askFor(w, 1);
  await w.serve();
  const waiting = () =>
    [...w.stage.cards.values()].filter((card) => JSON.stringify(card).includes('waits for its turn'));
  expect([submissions.length, waiting().length]).toEqual([0, 1]);
  await w.pass(5);
  expect(await jobs()).toMatchObject([{ state: 'delivered' }]);
  expect(waiting()).toEqual([]);
});

test('a 429 lowers the rate for all jobs', async () => {
  const { w, submissions, answers } = limited(['one']);
  let n = 0;
  answers(() => ((n += 1) === 1 ? new RateLimitedError('slow down', { status: 429 }) : undefined));
  await askFor(w, 1);
  await w.serve();
  const learned = JSON.stringify(
    await w.memory.get({ TableName: 'tokens', Key: { pk: { S: 'KEY#one#video' } } }),
  );
  expect(learned).toMatch(/"learned":\{"N":"700000"\}/u);
  await w.pass(3);
  expect(new Set(submissions).size).toBe(1);
});

test('a rejected API key is removed, and the job uses another', async () => {
  const keys = ['revoked', 'good'];
  const { w, submissions, jobs, answers } = limited(keys);
  answers(() => (keys[0] === 'revoked' ? new AuthError('no', { status: 401 }) : undefined));
  w.rejectKey = (name) => {
    keys.splice(keys.indexOf(name), 1);
    return Promise.resolve(keys.length > 0);
  };
  await askFor(w, 1);
  await w.pass(3);
  expect(submissions).toHaveLength(2);
  expect(await jobs()).toMatchObject([{ state: 'delivered', keyName: 'good' }]);
});

test('a proposal can be confirmed a day later', async () => {
  const w = new VideoHarness();
  const proposed = await proposeJob(videoRequest(), w.context());
  if (proposed.kind === 'refused') throw new Error(proposed.sentence);
  w.now += 24 * 3_600_000;
  expect((await confirmJob(proposed.job, w.context(), { admin: false, by: person })).kind).toBe('started');
  await w.pass(3);
  expect(await w.context().videos.jobs.listByPerson(person, 1)).toMatchObject([{ state: 'delivered' }]);
});

test('an uncertain submission is repeated with the same API key', async () => {
  const { w, jobs, answers } = limited(['one', 'two']);
  const names: (string | undefined)[] = [];
  answers(() => (names.length < 6 ? new ServerError('down', { status: 500 }) : undefined));
  await askFor(w, 1);
  await w.serve();
  for (let n = 0; n < 6; n += 1) {
    names.push((await jobs())[0]?.keyName);
    await w.pass(1);
  }
  await w.pass(10);
  expect(new Set(names).size).toBe(1);
  expect(await jobs()).toMatchObject([{ state: 'delivered', keyName: names[0] }]);
});

test.each([
  ['a redirect', { status: 302, code: 'redirect' }, false],
  ['a redirect with a code of the server', { status: 307, code: 'moved' }, false],
  ['a redirect to the result', { status: 303, code: 'redirect' }, true],
  ['a handle that cannot be used', { code: 'bad_handle' }, true],
])('%s ends a job, and says whether the service may have accepted it', async (_, facts, mayBeAccepted) => {
  const { w, submissions, jobs, answers } = limited(['one']);
  answers(() => new MalformedAnswerError('The response cannot be used.', facts));
  await askFor(w, 1);
  await w.serve();
  await w.pass(2);
  const [job] = await jobs();
  expect(job).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('ell the operator of this bot'),
  });
  expect(job?.reason?.includes('it may have accepted the job')).toBe(mayBeAccepted);
  expect(submissions).toHaveLength(1);
});

test('the retry delay of the service is respected', async () => {
  const { w, submissions, answers } = limited(['one']);
  answers(() => new RateLimitedError('slow down', { status: 429, retryAfterMs: 600_000 }));
  await askFor(w, 1);
  await w.serve();
  await w.pass(9);
  expect(submissions).toHaveLength(1);
  await w.pass(3);
  expect(submissions).toHaveLength(2);
});

/** Clicks Cancel on the card of the only job. */
const cancel = async (w: VideoHarness) => {
  const [job] = await w.jobs();
  const press = buttonPress({ name: 'video.cancel', args: [job?.id ?? ''] });
  await w.process((context) => onAction(press, context, delivery));
};
const refusal = () => new RateLimitedError('slow down', { status: 429, retryAfterMs: 600_000 });

describe('Cancel', () => {
  test('ends a job at once that the service refused with 429', async () => {
    const { w, submissions, jobs, answers } = limited(['one']);
    answers(refusal);
    await askFor(w, 1);
    await w.serve();
    await cancel(w);
    await w.serve();
    expect((await jobs()).map(({ state, reason }) => [state, reason])).toEqual([['cancelled', undefined]]);
    expect(submissions).toHaveLength(1);
  });

  test('ends a job that the service refuses with 429 at that moment', async () => {
    const { w, submissions, jobs, answers } = limited(['one']);
    answers(refusal);
    const { submit } = w.vision;
    w.vision = {
      ...w.vision,
      submit: async (...args) => {
        await cancel(w);
        return submit(...args);
      },
    };
    await askFor(w, 1);
    await w.serve();
    expect(await jobs()).toMatchObject([{ state: 'cancelled' }]);
    expect(submissions).toHaveLength(1);
  });

  test('of a job that the service may have submits it once more, and cancels it there', async () => {
    const { w, jobs, answers } = limited(['one']);
    const errors = [
      new ServerError('down', { status: 500 }),
      new RateLimitedError('slow down', { status: 429 }),
    ];
    answers(() => errors.shift());
    await askFor(w, 1);
    await w.serve();
    await cancel(w);
    await w.serve();
    expect(await jobs()).toMatchObject([{ state: 'requested', isRateLimited: true }]);
    await w.pass(3);
    expect(await jobs()).toMatchObject([{ state: 'cancelled' }]);
    expect([...w.madeVideos.values()]).toMatchObject([{ cancelled: true }]);
  });

  test('of a job that the service never took ends it as cancelled', async () => {
    const { w, jobs, answers } = limited(['one']);
    answers(() => new ServerError('down', { status: 500 }));
    await askFor(w, 1);
    await w.serve();
    await cancel(w);
    await w.pass(65);
    expect((await jobs()).map(({ state, reason }) => [state, reason])).toEqual([['cancelled', undefined]]);
  });
});

test('a job that gets no permit for six hours says no time', async () => {
  const w = new VideoHarness();
  w.videoPermits = { ...w.videoPermits, take: async () => ({ kind: 'refused', retryAfterMs: 60_000 }) };
  await askFor(w, 1);
  await w.serve();
  w.now += 6 * 3_600_000;
  await w.pass(1);
  const reason = 'The job could not be submitted in time. Ask again later.';
  expect(await w.jobs()).toMatchObject([{ state: 'failed', reason }]);
});

test('an interrupted submission is retried after 30 s', async () => {
  const { w, jobs, answers } = limited(['one']);
  let due: number | undefined;
  let at = 0;
  answers(() => {
    at = w.now;
    return new ServerError('down', { status: 500 });
  });
  const { submit } = w.vision;
  w.vision = {
    ...w.vision,
    submit: async (...args) => {
      due ??= (await jobs())[0]?.due;
      return submit(...args);
    },
  };
  await askFor(w, 1);
  await w.serve();
  expect(due).toBe(at + 30_000);
});

test('a confirmation uses the model and price of the modal, or of the proposal without one', async () => {
  const { w, jobs } = limited(['one']);
  w.models = [
    ...w.models,
    { name: 'model-b', operation: 'image-to-video', field: 'start_image_url', price: '1.20' },
  ];
  for (const [choice, model] of [
    ['one', undefined],
    ['two', 'model-b'],
    ['three', 'model-a-video'],
  ] as const) {
    const proposed = await proposeJob(videoRequest({ requestKey: choice }), w.context());
    if (proposed.kind === 'refused') throw new Error(proposed.sentence);
    // Meanwhile all models have become more expensive.
    const context = w.context();
    const later = w.models.map((one) => ({ ...one, price: `${one.price}9` }));
    const videos = { ...context.videos, models: () => Promise.resolve(later) };
    await confirmJob(proposed.job, { ...context, videos }, { admin: false, by: person, model });
  }
  const jobTexts = (await jobs()).map(({ model, price }) => `${model} ${price}`);
  expect(jobTexts.toSorted()).toEqual(['model-a-video 0.35', 'model-a-video 0.35', 'model-b 1.209']);
});
