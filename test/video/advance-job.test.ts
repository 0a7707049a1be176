import { BARE } from '../fakes/bare-context.ts';
import { describe, expect, test } from '@jest/globals';
import { messageId } from '../../shared/domain/index.ts';
import { videosDisabled } from '../../shared/ports/index.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { enqueueVideoTask } from '../../shared/video/enqueue.ts';
import { forgetVideos } from '../../shared/video/forget.ts';
import { ThreadDeletedError, FileUnavailableError } from '../../shared/platforms/ports/index.ts';
import {
  ConnectionError,
  NotFoundError,
  MalformedAnswerError,
  RateLimitedError,
} from '../../shared/upstream/index.ts';
import { VIDEO_FILE } from './video-file.ts';
import { videoRequest, person, PICTURE, thread, VideoHarness } from './video-harness.ts';

const QUEUED = { state: 'queued', status: 'IN_QUEUE', queuePosition: 2 } as const;
const RUNNING = { state: 'running', status: 'IN_PROGRESS' } as const;
const MADE = { state: 'done', status: 'COMPLETED' } as const;

async function harness(change: Partial<VideoHarness> = {}): Promise<VideoHarness> {
  const w = Object.assign(new VideoHarness(), change);
  await w.process((context) => startJob(videoRequest(), context));
  return w;
}

const jobs = (of: VideoHarness) => of.context().videos.jobs.listByPerson(person, 9);
const cards = (of: VideoHarness): string => JSON.stringify([...of.stage.cards.values()]);

/** A callback hint, as the callback function queues it. */
async function hint(of: VideoHarness, why = 'hint-1'): Promise<void> {
  const [job] = await jobs(of);
  if (job) await of.process((context) => enqueueVideoTask(job, why, context.queue));
  await of.serve();
}

describe('a video job', () => {
  test('is submitted once, shown with its price, polled, and posted with its history', async () => {
    const w = await harness({ statuses: [QUEUED, { ...QUEUED, queuePosition: 1 }, RUNNING, MADE] });
    await w.serve();
    expect(await jobs(w)).toMatchObject([{ state: 'submitted', price: '0.35' }]);
    expect(cards(w)).toContain('about $0.35');
    for (const state of ['queued', 'queued', 'running', 'delivered']) {
      await hint(w, state + String(w.now));
      w.now += 1_000;
      expect(await jobs(w)).toMatchObject([{ state }]);
    }
    expect([...w.uploads.values()]).toEqual([VIDEO_FILE]);
    expect(w.madeVideos.size).toBe(1);
    const next = messageId('1700009999.000100');
    const ref = { thread, message: next, asker: person.user, askerWorkspace: person.workspace };
    const { turns: past } = await w.context().turns.history(ref);
    expect(past).toMatchObject([{ question: 'Animate this picture: waves', pictures: [PICTURE] }]);
  });

  test('posts the card before the request', async () => {
    const w = await harness();
    await w.serve();
    const names = w.names.filter(Boolean);
    expect(names.indexOf('card')).toBeLessThan(names.indexOf('submit'));
    expect(names.indexOf('card')).toBeGreaterThan(-1);
    // The callback data is stored before the service knows the URL.
    expect(names.lastIndexOf('put', names.indexOf('submit'))).toBeGreaterThan(names.indexOf('store'));
  });

  test('costs once after a double click and a redelivery', async () => {
    const w = await harness();
    const again = await w.process(async (context) => {
      expect(await startJob(videoRequest(), context)).toMatchObject({ kind: 'already' });
    });
    expect(again).toBe(true);
    await w.serve();
    await hint(w);
    await hint(w, 'hint-2');
    expect([w.madeVideos.size, w.submits, w.uploads.size]).toEqual([1, 1, 1]);
  });

  test('stores and spends nothing without permission', async () => {
    const w = new VideoHarness();
    await w.process(async (context) => {
      const only = (video: 'off' | 'admins') => ({
        ...context,
        settings: { ...context.settings, layers: { workspace: { values: { video } } } },
      });
      expect(await startJob(videoRequest({ admin: true }), only('off'))).toMatchObject({
        sentence: expect.stringContaining('switched off'),
      });
      expect(await startJob(videoRequest(), only('admins'))).toMatchObject({
        sentence: expect.stringContaining('Only admins'),
      });
      expect(await startJob(videoRequest({ prompt: ' ' }), context)).toMatchObject({ kind: 'refused' });
      expect(await startJob(videoRequest({ prompt: 'x'.repeat(1_501) }), context)).toMatchObject({
        kind: 'refused',
      });
      expect(await startJob(videoRequest(), { ...context, videos: BARE.videos })).toMatchObject({
        kind: 'refused',
      });
    });
    expect([w.queue.length, w.effects]).toEqual([0, 0]);
  });
});

describe('a failing video job', () => {
  test('is polled by the sweeper if all callbacks are lost', async () => {
    const w = await harness({ statuses: [QUEUED, RUNNING, RUNNING, MADE] });
    await w.pass(12);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered' }]);
    expect([w.submits, w.uploads.size]).toEqual([1, 1]);
  });

  test('treats an unknown status as pending and logs it once', async () => {
    const w = await harness({
      statuses: [{ state: 'unknown', status: 'DREAMING' }, { state: 'unknown', status: 'DREAMING' }, MADE],
    });
    await w.pass(9);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered' }]);
    expect(w.logged.filter(({ event }) => event === 'video.status-unknown')).toHaveLength(1);
  });

  test('expires after six hours and is cancelled at the service', async () => {
    const w = await harness({ statuses: [RUNNING] });
    await w.pass(6 * 60 + 5);
    expect(await jobs(w)).toMatchObject([{ state: 'expired' }]);
    expect([...w.madeVideos.values()][0]?.cancelled).toBe(true);
    expect(w.uploads.size).toBe(0);
  });

  test.each([
    ['failed', { state: 'failed', status: 'FAILED', error: 'too dark' } as const, /too dark/],
    ['cancelled', { state: 'cancelled', status: 'CANCELLED' } as const, /cancelled/],
  ])('the service says %s: the card says so, with a way to ask again', async (state, status, words) => {
    const w = await harness({ statuses: [status] });
    await w.serve();
    await hint(w);
    expect(await jobs(w)).toMatchObject([{ state }]);
    expect(cards(w)).toMatch(words);
    expect(cards(w)).toContain('video.again');
  });

  test('repeats an interrupted submission with the same key and content', async () => {
    let n = 0;
    const w = await harness({
      submitFails: () => ((n += 1) <= 2 ? new ConnectionError('gone', {}) : undefined),
    });
    await w.pass(5);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered' }]);
    expect([w.submits, w.madeVideos.size]).toEqual([3, 1]);
  });

  test('retries at the requested time if the service is full; ends with a sentence if it refuses', async () => {
    let n = 0;
    const full = new RateLimitedError('full', { retryAfterMs: 120_000 });
    const w = await harness({ submitFails: () => ((n += 1) <= 1 ? full : undefined) });
    await w.pass(5);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered' }]);
    const failing = await harness({
      submitFails: () => new MalformedAnswerError('bad handle', { code: 'foreign_origin' }),
    });
    await failing.serve();
    expect(await jobs(failing)).toMatchObject([{ state: 'failed' }]);
    expect(failing.submits).toBe(1);
  });

  test('ends after minutes if the service does not know it', async () => {
    const w = await harness();
    await w.serve();
    w.vision = {
      ...w.vision,
      status: () => Promise.reject(new NotFoundError('no such job', { status: 404 })),
    };
    await w.pass(3);
    expect(await jobs(w)).toMatchObject([{ state: 'submitted' }]);
    await w.pass(7);
    expect(await jobs(w)).toMatchObject([
      { state: 'failed', reason: expect.stringContaining('no longer knows') },
    ]);
  });

  test('ends if the service accepts nothing for an hour', async () => {
    const w = await harness({ submitFails: () => new ConnectionError('gone', {}) });
    await w.pass(70);
    expect(await jobs(w)).toMatchObject([
      { state: 'failed', reason: expect.stringContaining('could not be submitted in time') },
    ]);
  });

  test('rejects files that are no picture or no video', async () => {
    const w = new VideoHarness();
    await w.process((context) => startJob(videoRequest({ picture: { ...PICTURE, id: 'F2' } }), context));
    await w.serve();
    expect(await jobs(w)).toMatchObject([
      { state: 'failed', reason: expect.stringContaining('cannot use this file') },
    ]);
    expect(w.submits).toBe(0);
    for (const change of [
      { film: Buffer.from('<html>please sign in</html>') },
      { result: { output: null } },
    ]) {
      const other = await harness(change);
      await other.serve();
      await hint(other);
      expect(await jobs(other)).toMatchObject([{ state: 'failed' }]);
      expect(other.uploads.size).toBe(0);
    }
  });

  test('posts a renewable link if the video is too large', async () => {
    const w = await harness();
    w.stage.refuse.upload = new FileUnavailableError(['files.upload.too-large', { mb: 10 }]);
    await w.serve();
    await hint(w);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered' }]);
    expect(cards(w)).toMatch(/https:\/\/bucket\.example\.com\/results\//u);
    expect(cards(w)).toContain('video.link');
  });

  test('spends nothing if the thread is deleted, and posts nothing if it is deleted later', async () => {
    const w = await harness();
    w.stage.refuse.postCard = new ThreadDeletedError('gone');
    await w.serve();
    expect([await jobs(w), w.submits]).toMatchObject([[{ state: 'failed' }], 0]);
    const later = await harness();
    await later.serve();
    later.stage.refuse.postCard = new ThreadDeletedError('gone');
    later.stage.refuse.upload = new ThreadDeletedError('gone');
    await hint(later);
    expect(await jobs(later)).toMatchObject([{ state: 'failed' }]);
  });

  test('ignores early, duplicate and late callbacks', async () => {
    const w = await harness({ statuses: [RUNNING, MADE] });
    await hint(w, 'early');
    await hint(w, 'again');
    expect(await jobs(w)).toMatchObject([{ state: 'delivered' }]);
    const before = JSON.stringify(await jobs(w));
    const { effects } = w;
    await hint(w, 'late');
    expect(JSON.stringify(await jobs(w))).toBe(before);
    expect(w.effects).toBe(effects + 1);
    expect([w.submits, w.uploads.size]).toEqual([1, 1]);
  });

  test.each([true, false])(
    'is removed with its picture and video by an erasure, also where videos were switched off since: %s',
    async (enabled) => {
      const w = await harness();
      await w.serve();
      await hint(w);
      expect([...w.files.keys()]).toEqual([expect.stringMatching(/^results\//u)]);
      await w.process(async (context) => {
        const videos = enabled ? context.videos : videosDisabled(context.videos);
        expect(await forgetVideos(await videos.jobs.listByThread(thread), { ...context, videos })).toBe(1);
      });
      expect([w.files.size, await jobs(w)]).toEqual([0, []]);
    },
  );
});

test('expires after six hours even if the service continues', async () => {
  const w = await harness({ statuses: [RUNNING] });
  w.vision = {
    ...w.vision,
    cancel: () => Promise.reject(new NotFoundError('no cancelling', { status: 404 })),
  };
  await w.pass(6 * 60 + 5);
  expect(await jobs(w)).toMatchObject([{ state: 'expired' }]);
});
