import { expect, test } from '@jest/globals';
import { parseTask } from '../../shared/domain/index.ts';
import { videosDisabled } from '../../shared/ports/index.ts';
import { applyRetentionPage } from '../../shared/privacy/apply-retention.ts';
import { enqueueVideoTask } from '../../shared/video/enqueue.ts';
import { advanceJob } from '../../shared/video/index.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { thread, person, videoRequest, VideoHarness } from './video-harness.ts';

async function harness(): Promise<VideoHarness> {
  const w = new VideoHarness();
  await w.process((context) => startJob(videoRequest(), context));
  return w;
}

const jobs = (of: VideoHarness) => of.context().videos.jobs.listByPerson(person, 9);

/** A callback hint, as the callback function queues it. */
async function hint(of: VideoHarness, why = 'hint-1'): Promise<void> {
  const [job] = await jobs(of);
  if (job) await of.process((context) => enqueueVideoTask(job, why, context.queue));
  await of.serve();
}

test('a video is removed from the bucket at the end of a shorter channel retention', async () => {
  const w = await harness();
  w.layers = { workspace: { values: { retentionDays: 2 } } };
  await w.serve();
  await hint(w);
  expect(await jobs(w)).toMatchObject([{ state: 'delivered', due: expect.any(Number) }]);
  w.now += 47 * 3_600_000;
  await hint(w, 'early');
  expect(await jobs(w)).toHaveLength(1);
  w.now += 3_600_000;
  await hint(w, 'late');
  expect([await jobs(w), w.files.size]).toEqual([[], 0]);
});

test.each([true, false])(
  'a video is also removed if the retention is shortened later, and where videos were switched off since: %s',
  async (enabled) => {
    const w = await harness();
    await w.serve();
    await hint(w);
    const [job] = await jobs(w);
    if (!job) throw new Error('there is no job');
    const set = { layer: { values: { retentionDays: 2 } }, revision: 1, log: [] };
    const shortening = { page: async () => ({ jobs: [job.id], pauseMs: 0 }) };
    const asNow = () => {
      const context = w.context();
      return enabled ? context : { ...context, videos: videosDisabled(context.videos) };
    };
    const settingsStore = { read: async () => set };
    await applyRetentionPage(thread, undefined, { ...asNow(), shortening, settingsStore });
    w.layers = { workspace: set.layer };
    w.now = job.createdAt + 48 * 3_600_000 - 1_000;
    const check = async () => {
      await w.sweep();
      for (const { body } of w.queue.splice(0)) {
        const next = parseTask(body);
        if (next?.kind === 'video') await advanceJob(next, asNow());
      }
    };
    await check();
    expect(await jobs(w)).toHaveLength(1);
    w.now += 1_000;
    await check();
    expect([await jobs(w), w.files.size]).toEqual([[], 0]);
  },
);
