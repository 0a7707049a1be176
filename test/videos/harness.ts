import { createVideoCallback } from '../../functions/composition/video/video-callback.ts';
import { createVideoFetcher } from '../../functions/composition/video/fetch-video.ts';
import type { JobState, JobRequester } from '../../shared/video/jobs/index.ts';
import { Jobs } from '../../shared/storage/index.ts';
import { createUpstream } from '../../shared/upstream/index.ts';
import { VideoHarness } from '../video/video-harness.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../simulators/upstream/index.ts';
import { TestTime } from '../upstream/time.ts';

/** How a call of the service gets to the front. It may do with it what it likes; resolves with the status answered. */
export type Carrier = (url: string, body: string, front: Front) => Promise<number>;

/** The front, as the gateway calls it: resolves with the status. */
export type Front = (job: string, secret: string, body: string) => Promise<number>;

/** A world whose service is the simulator, over HTTP, and whose callbacks reach the real front as `carry` says. */
export type VideoServiceHarness = {
  readonly w: VideoHarness;
  readonly sim: UpstreamSimulator;
  readonly front: Front;
  /** Every status that the front answered. */
  readonly answers: number[];
  /** A minute passes: calls arrive, the sweeper looks, workers work. */
  readonly minute: (workers?: number) => Promise<void>;
  /** The states of a person's jobs. */
  readonly states: (person: JobRequester) => Promise<JobState[]>;
  readonly close: () => Promise<void>;
};

export async function startVideoServiceHarness(
  carry: Carrier = (url, body, front) => front(...partsOf(url), body),
): Promise<VideoServiceHarness> {
  const w = new VideoHarness();
  const answers: number[] = [];
  const store = { dynamo: w.memory, table: 'conversations', days: 30, now: () => w.now };
  const handle = createVideoCallback({
    jobs: new Jobs(store),
    queue: { send: (...task) => w.outside(() => w.send(...task)) },
    now: () => w.now,
    log: () => undefined,
  });
  const front: Front = async (job, secret, body) => {
    const event = { pathParameters: { job, secret }, headers: {}, body, isBase64Encoded: false };
    const { statusCode } = await w.outside(() => handle(event));
    answers.push(statusCode);
    return statusCode;
  };
  const sim = await startUpstreamSimulator({
    paceMs: 0,
    clock: () => w.now,
    post: (url, body) => carry(url, body, front),
  });
  const { vision } = createUpstream({
    baseUrl: sim.visionUrl,
    visionUrl: sim.visionUrl,
    apiKey: () => Promise.resolve(sim.apiKey),
    time: new TestTime(),
    random: () => 0.5,
  });
  w.vision = {
    submit: (...ask) =>
      w.effect('submit', async () => {
        const handed = await vision.submit(...ask);
        // What is early is there before the answer is read.
        await w.outside(() => sim.deliverWebhooks());
        return handed;
      }),
    list: () => vision.list(),
    call: (name, payload) => vision.call(name, payload),
    status: (handed) => w.effect('status', () => vision.status(handed)),
    result: (handed) => w.effect('result', () => vision.result(handed)),
    cancel: (handed) => w.effect('cancel', () => vision.cancel(handed)),
    video: (id) => w.effect('video', () => vision.video(id)),
  };
  const fetch = createVideoFetcher(new URL(sim.visionUrl).origin);
  w.fetch = (address) => w.effect('fetch', () => fetch(address));
  return {
    w,
    sim,
    front,
    answers,
    async minute(workers = 1) {
      await w.serve(workers);
      for (let second = 0; second < 60; second += 10) {
        w.now += 10_000;
        await sim.deliverWebhooks();
        await w.serve(workers);
      }
      await w.sweep();
      await w.serve(workers);
    },
    states: async (person) =>
      (await w.context().videos.jobs.listByPerson(person, 5_000)).map(({ state }) => state),
    close: () => sim.close(),
  };
}

/** The job and the secret in the address of a callback. */
export function partsOf(url: string): [job: string, secret: string] {
  const [job = '', secret = ''] = new URL(url).pathname.split('/').slice(-2);
  return [job, secret];
}
