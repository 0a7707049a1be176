/** Runs in a thread of its own: decodes one recording, an event for each time it is asked. See `media.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Heard, MediaError } from './events.ts';
import { listen } from './sound.ts';
import { type Answer, job as jobSchema } from './job.ts';

async function answers(events: AsyncGenerator<Heard>): Promise<Answer> {
  try {
    const next = await events.next();
    return next.done === true ? { type: 'done' } : next.value;
  } catch (error) {
    const { kind, what } = error instanceof MediaError ? error : new MediaError('broken');
    return { type: 'failed', kind, what };
  }
}

// Decoders complain of every broken frame, and what nobody reads piles up.
console.error = () => undefined;
console.warn = () => undefined;

const job = jobSchema.parse(workerData);
const events = listen(job.bytes, job);
parentPort?.on('message', () => {
  void answers(events).then((answer) => parentPort?.postMessage(answer));
});
