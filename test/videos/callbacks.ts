import { startJob } from '../../shared/video/propose-job.ts';
import { cancelVideo } from '../../shared/video/card-actions.ts';
import type { JobState } from '../../shared/video/jobs/index.ts';
import type { SettingsChange } from '../simulators/upstream/settings.ts';
import { fakeInteraction } from '../commands/command-harness.ts';
import { videoRequest, person, thread } from '../video/video-harness.ts';
import { type Carrier, partsOf, startVideoServiceHarness, type VideoServiceHarness } from './harness.ts';

/** What may become of the service's calls, and what the job is to come to all the same. */
export type CallbackFault = {
  readonly name: string;
  readonly end: JobState;
  readonly carry: Carrier;
  /** How long it takes, in ms, waiting and running. */
  readonly queueMs?: number;
  readonly runMs?: number;
  readonly service?: SettingsChange;
  readonly prompt?: string;
  /** What happens besides, each minute. */
  readonly also?: (harness: VideoServiceHarness, minute: number) => Promise<void>;
};

const as: Carrier = (url, body, front) => front(...partsOf(url), body);
const saying =
  (body: string): Carrier =>
  (url, _, front) =>
    front(...partsOf(url), body);
const lost: Carrier = () => Promise.resolve(200);

/** Whoever asked for the job. */
const caller = {
  interaction: fakeInteraction({ kind: 'home' }, { thread }),
  locale: 'en',
  admin: false,
} as const;

/** A carrier that keeps what it carried, to carry it again. */
function keeping(first: Carrier) {
  const callbacks: string[] = [];
  const carry: Carrier = (url, body, front) => {
    callbacks.push(url);
    return first(url, body, front);
  };
  const again: CallbackFault['also'] = async ({ front }) => {
    for (const url of callbacks) await front(...partsOf(url), '{"status":"FAILED"}');
  };
  return { carry, again };
}

function refusing(times: number): Carrier {
  let n = 0;
  return (url, body, front) => ((n += 1) <= times ? Promise.resolve(503) : as(url, body, front));
}

/** Anew for each run: some carriers remember. */
export function callbackFaults(): readonly CallbackFault[] {
  const replayed = keeping(as);
  return [
    { name: 'comes when it is done', end: 'delivered', carry: as },
    { name: 'comes as a bare status', end: 'delivered', carry: as, service: { webhook: 'status' } },
    { name: 'is empty', end: 'delivered', carry: as, service: { webhook: 'empty' } },
    { name: 'is garbage', end: 'delivered', carry: saying('\0\xff<html>') },
    { name: 'lies that the job failed', end: 'delivered', carry: saying('{"status":"ERROR","error":"no"}') },
    {
      name: 'names another video',
      end: 'delivered',
      carry: saying('{"payload":{"video":{"url":"https://evil.example.com/x.mp4"}}}'),
    },
    { name: 'holds more than 64 KB', end: 'delivered', carry: saying('x'.repeat(65_537)) },
    { name: 'is lost', end: 'delivered', carry: as, service: { webhookSent: 'never' } },
    { name: 'comes five times', end: 'delivered', carry: as, service: { webhookCopies: 5 } },
    {
      name: 'comes before the answer to the submit is read',
      end: 'delivered',
      carry: as,
      queueMs: 0,
      runMs: 0,
      service: { webhookSent: 'early' },
    },
    {
      name: 'comes early, and the job takes on',
      end: 'delivered',
      carry: as,
      service: { webhookSent: 'early' },
    },
    { name: 'finds the front gone, twice', end: 'delivered', carry: refusing(2) },
    { name: 'is replayed each minute', end: 'delivered', carry: replayed.carry, also: replayed.again },
    { name: 'comes after the video is there', end: 'delivered', carry: as, service: { webhookSent: 'late' } },
    {
      name: 'is forged twenty times, and never comes',
      end: 'delivered',
      carry: as,
      service: { webhookSent: 'never', webhookForged: 20 },
    },
    {
      name: 'comes while it is made, each minute',
      end: 'delivered',
      carry: as,
      runMs: 600_000,
      also: async ({ w, front }) => {
        const job = (await w.context().videos.jobs.listByPerson(person, 1))[0];
        if (job) await front(job.id, job.id.padEnd(43, '_'), '{"status":"COMPLETED"}');
      },
    },
    {
      name: 'says done, and the job failed',
      end: 'failed',
      carry: saying('{"status":"OK"}'),
      prompt: '[[sim:fail=too dark]] waves',
    },
    {
      name: 'is lost, and the job failed',
      end: 'failed',
      carry: lost,
      prompt: '[[sim:fail=too dark]] waves',
    },
    {
      name: 'comes for a job that its person cancelled',
      end: 'cancelled',
      carry: as,
      runMs: 600_000,
      also: async ({ w }, minute) => {
        const [job] = await w.context().videos.jobs.listByPerson(person, 1);
        if (minute === 2 && job) await cancelVideo(job.id, caller, w.context());
      },
    },
    { name: 'never comes, and the job never ends', end: 'expired', carry: lost, runMs: 24 * 3_600_000 },
  ];
}

export type Ended = {
  readonly state: JobState | undefined;
  /** Jobs that the service counted, files in the thread, cards. */
  readonly submits: number;
  readonly uploads: number;
  readonly cards: number;
  /** Minutes until it was over. */
  readonly minutes: number;
};

/** One job under one fault. */
export async function underFault(fault: CallbackFault): Promise<Ended> {
  const harness = await startVideoServiceHarness(fault.carry);
  const { w, sim } = harness;
  try {
    sim.control.change({ queueMs: fault.queueMs ?? 20_000, runMs: fault.runMs ?? 60_000, ...fault.service });
    await startJob(videoRequest({ prompt: fault.prompt ?? 'waves' }), w.context());
    let over = 0;
    for (let minute = 1; minute <= 7 * 60 && !(over > 0 && minute > over + 10); minute += 1) {
      await harness.minute();
      await fault.also?.(harness, minute);
      const [state = 'requested'] = await harness.states(person);
      if (over === 0 && OVER.has(state)) over = minute;
    }
    const [state] = await harness.states(person);
    const submits = sim.meter.filter(({ kind }) => kind === 'video').length;
    return { state, submits, uploads: w.uploads.size, cards: w.stage.cards.size, minutes: over };
  } finally {
    await harness.close();
  }
}

const OVER: ReadonlySet<JobState> = new Set(['delivered', 'failed', 'cancelled', 'expired']);

/** What is wrong with how it ended; undefined where nothing is. */
export function wrongWith(fault: CallbackFault, ended: Ended): string | undefined {
  const uploads = fault.end === 'delivered' ? 1 : 0;
  const right =
    ended.state === fault.end && ended.submits === 1 && ended.uploads === uploads && ended.cards === 1;
  return right ? undefined : `${fault.name}: ${JSON.stringify(ended)}`;
}
