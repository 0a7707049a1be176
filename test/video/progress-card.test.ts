import { describe, expect, test } from '@jest/globals';
import { startJob } from '../../shared/video/propose-job.ts';
import { enqueueVideoTask } from '../../shared/video/enqueue.ts';
import type { Card } from '../../shared/domain/index.ts';
import {
  ConnectionError,
  BadRequestError,
  RateLimitedError,
  ServerError,
} from '../../shared/upstream/index.ts';
import { videoRequest, person, VideoHarness } from './video-harness.ts';

const QUEUED = { state: 'queued', status: 'IN_QUEUE', queuePosition: 2 } as const;
const RUNNING = { state: 'running', status: 'IN_PROGRESS' } as const;
const MADE = { state: 'done', status: 'COMPLETED' } as const;

async function harness(change: Partial<VideoHarness> = {}): Promise<VideoHarness> {
  const w = Object.assign(new VideoHarness(), change);
  await w.process((context) => startJob(videoRequest(), context));
  return w;
}

const stateOf = async (w: VideoHarness) => (await w.context().videos.jobs.listByPerson(person, 9))[0]?.state;

/** The card of the only job. */
function cardOf(w: VideoHarness): Card {
  const [card] = w.stage.cards.values();
  if (!card) throw new Error('there is no card');
  return card;
}

/** The content of the card: its title, its facts by name, its other text. */
function visibleCard(w: VideoHarness) {
  const { title, parts } = cardOf(w);
  const fields = parts.flatMap((part) => (part.kind === 'fields' ? part.fields : []));
  const words = parts.flatMap((part) =>
    part.kind === 'text' || part.kind === 'note' ? [part.markdown] : [],
  );
  return { title, soFar: fields.find(({ name }) => name === 'So far'), words: words.join('\n') };
}

/** The number of posts and edits of the card. */
const changes = (w: VideoHarness): number => w.names.filter((name) => name === 'card').length;

describe('the card of a video job', () => {
  test('shows each state, and the elapsed time every minute without callbacks', async () => {
    const w = await harness({ statuses: [QUEUED, RUNNING, RUNNING, RUNNING, MADE] });
    const cards: unknown[] = [];
    const look = (): void => {
      const { title, soFar } = visibleCard(w);
      cards.push([title, soFar?.value, soFar?.at === undefined ? undefined : w.now - soFar.at]);
    };
    await w.serve();
    look();
    for (let minute = 0; minute < 5; minute += 1) {
      await w.pass(1);
      look();
    }
    expect(cards).toEqual([
      ['A video was submitted', '0 s', 0],
      ['A video is waiting in line', '1 min 0 s', 0],
      ['A video is being made', '2 min 0 s', 0],
      ['A video is being made', '3 min 0 s', 0],
      ['A video is being made', '4 min 0 s', 0],
      ['A video was made', undefined, undefined],
    ]);
  });

  test('shows a queued job before its submission', async () => {
    const w = await harness({ plan: new Map() });
    w.vision = { ...w.vision, submit: () => new Promise(() => undefined) };
    void w.serve();
    while (w.stage.cards.size === 0) await new Promise(setImmediate);
    expect(visibleCard(w).title).toBe('A video is queued');
  });

  test('shows the end within a minute if the callback is late; the late callback changes nothing', async () => {
    const w = await harness({ statuses: [RUNNING, MADE] });
    await w.pass(2);
    expect(await stateOf(w)).toBe('delivered');
    const before = changes(w);
    const [job] = await w.context().videos.jobs.listByPerson(person, 9);
    if (job) await w.process((context) => enqueueVideoTask(job, 'late', context.queue));
    await w.serve();
    expect([changes(w), w.uploads.size]).toEqual([before, 1]);
  });

  test('stops updating the elapsed time when it is old: Discord limits edits of old messages', async () => {
    const w = await harness({ statuses: [RUNNING] });
    await w.pass(55);
    const before = changes(w);
    await w.pass(120);
    expect(changes(w)).toBe(before);
    expect(visibleCard(w).title).toBe('A video is being made');
  });

  test('updates the elapsed time of twenty cards per minute and workspace; state changes are always shown', async () => {
    const w = new VideoHarness();
    w.statuses = [RUNNING, RUNNING, RUNNING, MADE];
    for (let n = 0; n < 25; n += 1)
      await w.process((context) => startJob(videoRequest({ requestKey: `wish-${n}` }), context));
    await w.pass(1);
    const changesBefore = changes(w);
    await w.pass(1);
    expect(changes(w) - changesBefore).toBe(20);
    await w.pass(2);
    expect(w.uploads.size).toBe(25);
  });
});

describe('a failure is shown', () => {
  test.each([
    ['with the reason that the service gives', { error: 'too dark' }, /The video service says: too dark/u],
    ['where the service gives none', {}, /failed, and did not say why\. Ask again\./u],
    ['where the service gives an empty one', { error: ' ' }, /failed, and did not say why/u],
  ])('a failure, within a minute without a call: %s', async (_, more, words) => {
    const w = await harness({ statuses: [{ state: 'failed', status: 'FAILED', ...more }] });
    await w.pass(1);
    expect(visibleCard(w)).toMatchObject({ title: 'The video failed', words: expect.stringMatching(words) });
    expect(JSON.stringify(cardOf(w))).toContain('video.again');
  });

  test('a rejected submission: at once', async () => {
    const w = await harness({ submitFails: () => new BadRequestError('no such model', { status: 400 }) });
    await w.serve();
    expect(visibleCard(w).title).toBe('The video failed');
    expect(visibleCard(w).words).toContain('did not accept the picture or the description');
    expect(w.submits).toBe(1);
  });

  test('a failed submission: until a retry succeeds', async () => {
    let n = 0;
    const w = await harness({
      statuses: [RUNNING],
      submitFails: () => ((n += 1) <= 2 ? new ServerError('down', { status: 503 }) : undefined),
    });
    await w.serve();
    expect(visibleCard(w)).toMatchObject({
      title: 'A video is queued',
      words: expect.stringContaining('does not accept jobs at the moment. I try again, for up to an hour.'),
    });
    const before = changes(w);
    await w.pass(1);
    expect(changes(w)).toBe(before);
    await w.pass(2);
    expect(visibleCard(w).title).toBe('A video is being made');
    expect(visibleCard(w).words).not.toContain('at the moment');
  });

  test('a service at capacity: that the job waits', async () => {
    const full = new RateLimitedError('full', { retryAfterMs: 120_000 });
    const w = await harness({ submitFails: () => full });
    await w.serve();
    expect(visibleCard(w).words).toContain('It waits for its turn');
  });

  test('a submission that fails for an hour: that there is no video', async () => {
    const w = await harness({ submitFails: () => new ConnectionError('gone', {}) });
    await w.pass(65);
    expect(visibleCard(w)).toMatchObject({
      title: 'The video failed',
      words: expect.stringContaining('could not be submitted in time'),
    });
    expect(visibleCard(w).words).not.toContain('at the moment');
  });

  test('a silent service: once, until it answers', async () => {
    const w = await harness({ statuses: [RUNNING] });
    await w.pass(2);
    const { status } = w.vision;
    w.vision = { ...w.vision, status: () => Promise.reject(new ConnectionError('gone', {})) };
    await w.pass(1);
    expect(visibleCard(w)).toMatchObject({
      title: 'A video is being made',
      soFar: { value: '2 min 0 s' },
      words: expect.stringContaining('does not respond at the moment. I keep trying.'),
    });
    const before = changes(w);
    await w.pass(3);
    expect(changes(w)).toBe(before);
    w.vision = { ...w.vision, status };
    await w.pass(1);
    expect(visibleCard(w)).toMatchObject({
      soFar: { value: '7 min 0 s' },
      words: expect.not.stringContaining('at the moment'),
    });
  });

  test('six hours without an end: the reason and a button to repeat it', async () => {
    const w = await harness({ statuses: [RUNNING] });
    await w.pass(6 * 60 + 5);
    expect(visibleCard(w)).toMatchObject({
      title: 'The video took too long',
      words: expect.stringContaining('not done after six hours'),
    });
  });

  test('a job that the service cancels: that the service did it', async () => {
    const w = await harness({ statuses: [{ state: 'cancelled', status: 'CANCELLED' }] });
    await w.pass(1);
    expect(visibleCard(w).words).toContain('The video service cancelled it.');
  });
});
