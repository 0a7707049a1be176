import { startJob } from '../../shared/video/propose-job.ts';
import { channelId, messageId, userId } from '../../shared/domain/index.ts';
import type { Job, JobRequester } from '../../shared/video/jobs/index.ts';
import { videoRequest, person, thread } from '../video/video-harness.ts';
import { createRandom } from '../simulators/upstream/random.ts';
import { partsOf, startVideoServiceHarness } from './harness.ts';

export type Many = {
  /** Jobs at once, each asked for twice, as by a double click. */
  readonly jobs: number;
  readonly seed: number;
  /** At how many of 1,000 effects the process dies, before it or after it. */
  readonly deaths: number;
};

/** What came of them. */
export type Outcome = {
  readonly delivered: number;
  /** Jobs that are not delivered, and people's wishes of which no job came. */
  readonly lost: number;
  /** Files in threads beyond one for each video, and jobs beyond one for each wish. */
  readonly doubled: number;
  /** Jobs that the service counted more than once, by its meter. */
  readonly twice: number;
  readonly submits: number;
  readonly deaths: number;
  readonly minutes: number;
};

const WORKERS = 16;
const PER_PERSON = 20;
const MAX_MINUTES = 12 * 60;

/**
 * So many jobs at once: of many people in many threads, with workers that die, and calls of the service of which a third is
 * lost, a third comes twice and a third comes once.
 */
export async function runManyJobs({ jobs, seed, deaths }: Many): Promise<Outcome> {
  const chance = createRandom(seed);
  let called = 0;
  const harness = await startVideoServiceHarness(async (url, body, front) => {
    called += 1;
    if (called % 3 === 0) return 200;
    if (called % 3 === 1) await front(...partsOf(url), body);
    return front(...partsOf(url), body);
  });
  const { w, sim } = harness;
  let died = 0;
  w.fate = () => {
    if (chance() * 1_000 >= deaths) return undefined;
    died += 1;
    return chance() < 0.5 ? 'before' : 'after';
  };
  try {
    sim.control.change({ queueMs: 30_000, runMs: 60_000 });
    const people = Array.from({ length: Math.ceil(jobs / PER_PERSON) }, (_, n) => nth(n));
    const asks = Array.from({ length: jobs }, (_, n) => askOf(n, people));
    // A click that was answered by nothing is made again, and each is made twice at once.
    const click = async (ask: ReturnType<typeof askOf>) => {
      for (let tries = 0; tries < 9 && !(await w.process((context) => startJob(ask, context))); tries += 1)
        w.now += 1;
    };
    await Promise.all([...asks, ...asks].map(click));
    let minutes = 0;
    let all: Job[] = [];
    do {
      await harness.minute(WORKERS);
      minutes += 1;
      all = (await Promise.all(people.map((one) => w.context().videos.jobs.listByPerson(one, 1_000)))).flat();
    } while (
      minutes < MAX_MINUTES &&
      all.some(({ state, due }) => state !== 'delivered' || due !== undefined)
    );
    return { ...counted(all, jobs, w.uploads.size, sim.meter.length), minutes, deaths: died };
  } finally {
    await harness.close();
  }
}

function counted(all: readonly Job[], jobs: number, files: number, submits: number) {
  const delivered = all.filter(({ state }) => state === 'delivered').length;
  const handed = new Set(all.map(({ handle }) => handle?.requestId)).size;
  const doubled = Math.max(0, all.length - jobs) + Math.max(0, files - delivered);
  return { delivered, lost: jobs - delivered, doubled, twice: submits - handed, submits };
}

const nth = (n: number): JobRequester => ({ ...person, user: userId(`U${n}`) });

function askOf(n: number, people: readonly JobRequester[]) {
  const by = people[n % people.length] ?? person;
  const root = messageId(`1700000000.${String(100 + (n % 400)).padStart(6, '0')}`);
  const where = { ...thread, channel: channelId(`C${n % 40}`), root };
  return videoRequest({ requestKey: `press-${n}`, by, thread: where, requestMessage: root });
}
