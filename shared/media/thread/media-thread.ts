import * as v from 'valibot';
/** Runs in a thread of its own: decodes or encodes one recording, an answer for each time it is asked. See `media.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type MediaEvent, MediaError, type Spoken } from './events.ts';
import { type Answer, type Job, job as jobSchema } from './job.ts';
import { listen } from '../decode/sound.ts';
import { speak } from '../encode-speech.ts';

async function answer(events: AsyncGenerator<MediaEvent | Spoken>): Promise<Answer<MediaEvent | Spoken>> {
  try {
    const next = await events.next();
    return next.done === true ? { type: 'done' } : { type: 'next', value: next.value };
  } catch (error) {
    const { kind, what } = error instanceof MediaError ? error : new MediaError('broken', String(error));
    return { type: 'failed', kind, what };
  }
}

async function* work(job: Job): AsyncGenerator<MediaEvent | Spoken> {
  if (job.kind === 'listen') yield* listen(job.bytes, job);
  else yield await speak(job.bytes, job.as);
}

/** Pieces are handed over, not copied. */
function moved(told: Answer<MediaEvent | Spoken>): ArrayBuffer[] {
  const wav = told.type === 'next' && 'wav' in told.value ? told.value.wav.buffer : undefined;
  return wav instanceof ArrayBuffer ? [wav] : [];
}

// Decoders complain of every broken frame, and what nobody reads piles up.
console.error = () => undefined;
console.warn = () => undefined;

const events = work(v.parse(jobSchema, workerData));
parentPort?.on('message', () => {
  void answer(events).then((told) => parentPort?.postMessage(told, moved(told)));
});
