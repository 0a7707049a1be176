import { startJob } from '../../shared/video/propose-job.ts';
import { videoRequest, person } from '../video/video-harness.ts';
import { startVideoServiceHarness } from './harness.ts';

export type Forged = {
  /** Calls that the front did not answer with 404. */
  readonly accepted: number;
  /** Requests that the service saw meanwhile, and tasks that were queued. */
  readonly upstream: number;
  readonly tasks: number;
  /** Reads of the table, half a unit each. */
  readonly reads: number;
  /** Whether the true call was taken all the same. */
  readonly trueOne: boolean;
};

/** So many calls of somebody who knows the address of a job that is being made, but not its secret. */
export async function sendForgedCallbacks(count: number): Promise<Forged> {
  const harness = await startVideoServiceHarness(() => Promise.resolve(200));
  const { w, sim, front } = harness;
  try {
    sim.control.change({ queueMs: 0, runMs: 3_600_000 });
    await startJob(videoRequest(), w.context());
    await w.serve();
    const [job] = await w.context().videos.jobs.listByPerson(person, 1);
    const id = job?.id ?? '';
    const before = sim.journal.length;
    const get = w.memory.get.bind(w.memory);
    let reads = 0;
    w.memory.get = (input) => {
      reads += 1;
      return get(input);
    };
    let accepted = 0;
    for (let n = 0; n < count; n += 1) {
      const [of, secret] = guess(id, n);
      if ((await front(of, secret, '{"status":"COMPLETED"}')) !== 404) accepted += 1;
    }
    const tasks = w.queue.length;
    const readsBefore = reads;
    await w.serve();
    const upstream = sim.journal.length - before;
    const trueOne = (await front(id, id.padEnd(43, '_'), '')) === 202;
    return { accepted, upstream, tasks, reads: readsBefore, trueOne };
  } finally {
    await harness.close();
  }
}

/** A third guesses at the secret of a job that is there, a third at jobs, a third does not even know the form. */
function guess(there: string, n: number): [job: string, secret: string] {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32BE(n);
  const secret = bytes.toString('base64url');
  if (n % 3 === 0) return [there, secret];
  if (n % 3 === 1) return [there.slice(0, -6) + n.toString(16).padStart(6, '0'), secret];
  return [there, `guess-${n}`];
}
