/** Runs in a thread of its own: decodes one recording, an event for each time it is asked. See `media.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Heard, MediaError } from './events.ts';
import { listen } from './sound.ts';
import type { Answer, Job } from './job.ts';

async function answers(events: AsyncGenerator<Heard>): Promise<Answer> {
  try {
    const next = await events.next();
    return next.done === true ? { type: 'done' } : next.value;
  } catch (error) {
    const { kind, what } = error instanceof MediaError ? error : new MediaError('broken');
    return { type: 'failed', kind, what };
  }
}

// Only media.ts starts this thread, with just that.
const job = workerData as Job;
const events = listen(job.bytes, job);
parentPort?.on('message', () => {
  void answers(events).then((answer) => parentPort?.postMessage(answer));
});
