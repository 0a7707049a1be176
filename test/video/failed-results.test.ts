import { expect, test } from '@jest/globals';
import { enqueueVideoTask } from '../../shared/video/enqueue.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { BadRequestError, NotFoundError } from '../../shared/upstream/index.ts';
import { person, VideoHarness, videoRequest } from './video-harness.ts';

const jobs = (of: VideoHarness) => of.context().videos.jobs.listByPerson(person, 9);
const unknown = () => Promise.reject(new NotFoundError('no such job', { status: 404 }));

/** A job that the service has accepted. */
async function submitted(change: Partial<VideoHarness> = {}): Promise<VideoHarness> {
  const w = Object.assign(new VideoHarness(), change);
  await w.process((context) => startJob(videoRequest(), context));
  await w.serve();
  return w;
}

/** A callback, as the callback function queues it. */
async function hint(of: VideoHarness): Promise<void> {
  const [job] = await jobs(of);
  if (job) await of.process((context) => enqueueVideoTask(job, 'hint-1', context.queue));
  await of.serve();
}

test.each([
  [
    'a 4xx in place of the result',
    () => Promise.reject(new BadRequestError('blocked', { status: 422, code: 'content_policy' })),
    /did not accept the picture or the description.*content_policy/su,
  ],
  [
    'a result with an error and no video',
    () =>
      Promise.resolve({ state: 'failed', status: '', error: 'too dark', value: { output: null } } as const),
    /The video service says: too dark/u,
  ],
])(
  'a video job is completed according to the service, but has %s: it ends at once',
  async (_, result, words) => {
    const w = await submitted();
    w.vision = { ...w.vision, result };
    await hint(w);
    expect(await jobs(w)).toMatchObject([{ state: 'failed', reason: expect.stringMatching(words) }]);
    expect(w.uploads.size).toBe(0);
  },
);

test('a video job is cancelled if the person cancelled it, and the service has forgotten it', async () => {
  const w = await submitted({ statuses: [{ state: 'running', status: 'IN_PROGRESS' }] });
  await w.pass(6);
  w.vision = { ...w.vision, status: unknown, cancel: unknown };
  const [job] = await jobs(w);
  await w.process(({ videos }) =>
    job ? videos.jobs.save(job, { isCancelRequested: true }) : Promise.reject(new Error('no job')),
  );
  await hint(w);
  expect(await jobs(w)).toMatchObject([{ state: 'cancelled' }]);
});
