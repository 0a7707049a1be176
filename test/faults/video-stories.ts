import { createVideoCallback } from '../../functions/composition/video/video-callback.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { Jobs } from '../../shared/storage/index.ts';
import { videoRequest, CrashError, VideoHarness } from '../video/video-harness.ts';
import { Steps } from './steps.ts';
import type { Story } from './story.ts';
import type { Kind } from './fault-kinds.ts';
import type { FaultPlan } from './harness.ts';

const STATUSES = [
  { state: 'queued', status: 'IN_QUEUE', queuePosition: 1 },
  { state: 'running', status: 'IN_PROGRESS' },
  { state: 'done', status: 'COMPLETED' },
] as const;

const READS = new Set(['status', 'result', 'fetch']);
const kindOf = (name: string): Kind => (READS.has(name) ? 'read' : 'call');
const MINUTES = 90;

/** The service sends callbacks each minute, also too early and too late: once, twice, or not at all. */
async function callBack(w: VideoHarness, steps: Steps): Promise<void> {
  const store = { dynamo: w.memory, table: 'conversations', days: 30, now: () => w.now };
  const queue = { send: w.send };
  const front = createVideoCallback({ jobs: new Jobs(store), queue, now: () => w.now, log: () => undefined });
  for (const { webhookUrl } of w.madeVideos.values()) {
    const fault = steps.fault('the callback', 'delivery');
    const [job = '', secret = ''] = new URL(webhookUrl).pathname.split('/').slice(-2);
    const event = { pathParameters: { job, secret }, headers: {}, body: '{}', isBase64Encoded: false };
    // Late: it is lost, and that of the next minute arrives.
    const times = fault === 'late' ? 0 : fault === 'double' ? 2 : 1;
    for (let n = 0; n < times; n += 1) await steps.process(() => front(event));
  }
}

async function makeVideo(w: VideoHarness, steps: Steps): Promise<void> {
  for (
    let tries = 0;
    tries < 30 && !(await w.process((context) => startJob(videoRequest(), context)));
    tries += 1
  )
    w.now += 1_000;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    await w.serve();
    if (minute < 6) await callBack(w, steps);
    await w.serve();
    w.now += 60_000;
    const [job] = await w.jobs();
    if (job?.state === 'delivered' && job.due === undefined) return;
    if (await w.sweep()) await w.serve();
  }
}

async function wrongIn(w: VideoHarness): Promise<string[]> {
  const [job, ...more] = await w.jobs();
  const [one] = w.madeVideos.values();
  return [
    job?.state === 'delivered' ? '' : `ended as ${job?.state ?? 'nothing'}`,
    more.length === 0 ? '' : 'two jobs',
    w.madeVideos.size === 1 ? '' : `${w.madeVideos.size} made and paid`,
    w.uploads.size === 1 ? '' : `${w.uploads.size} uploads`,
    w.stage.cards.size === 1 ? '' : `${w.stage.cards.size} cards`,
    JSON.stringify([...w.stage.cards.values()]).includes('A video was made') ? '' : 'the card is stale',
    one && job && one.webhookUrl.includes(job.id) ? '' : 'another callback',
    w.queue.length === 0 ? '' : 'tasks left',
  ].filter((fault) => fault !== '');
}

/** One video from the request to the thread, with lost, duplicate, early and late callbacks. */
const video: Story = {
  name: 'video',
  async play(plan: FaultPlan) {
    const w = new VideoHarness();
    w.statuses = [...STATUSES];
    const steps = new Steps(plan, () => w.now);
    w.calls = (name, run) => steps.call(name, kindOf(name), run);
    w.runs = async (work) => {
      const ended = await steps.process(async () => {
        try {
          await work();
          return true;
        } catch (error) {
          if (error instanceof CrashError) return false;
          throw error;
        }
      });
      return ended ?? false;
    };
    await makeVideo(w, steps);
    const { points, trace } = steps;
    return { points, wrong: await wrongIn(w), trace: () => trace, gaveUp: false };
  },
};

export const VIDEO_STORIES: readonly Story[] = [video];
