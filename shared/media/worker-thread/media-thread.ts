import * as v from 'valibot';
/** Runs in a worker thread: decodes or encodes one recording, one reply per message. See `media.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type MediaEvent, MediaError, type EncodedSpeech } from '../media-events.ts';
import { type ThreadReply, type MediaJob, mediaJobSchema } from './media-job.ts';
import { decodeRecording } from '../decode/decode-recording.ts';
import { encodeSpeech } from '../encode-speech.ts';

async function getReply(
  events: AsyncGenerator<MediaEvent | EncodedSpeech>,
): Promise<ThreadReply<MediaEvent | EncodedSpeech>> {
  try {
    const next = await events.next();
    return next.done === true ? { type: 'done' } : { type: 'next', value: next.value };
  } catch (error) {
    const { kind, details } = error instanceof MediaError ? error : new MediaError('broken', String(error));
    return { type: 'failed', kind, details };
  }
}

async function* runJob(job: MediaJob): AsyncGenerator<MediaEvent | EncodedSpeech> {
  if (job.kind === 'decode') yield* decodeRecording(job.bytes, job);
  else yield await encodeSpeech(job.bytes, job.format);
}

/** The audio of chunks is transferred, not copied. */
function getTransferList(reply: ThreadReply<MediaEvent | EncodedSpeech>): ArrayBuffer[] {
  const wav = reply.type === 'next' && 'wav' in reply.value ? reply.value.wav.buffer : undefined;
  return wav instanceof ArrayBuffer ? [wav] : [];
}

// Decoders log every broken frame, and unread output would fill the memory.
console.error = () => undefined;
console.warn = () => undefined;

const events = runJob(v.parse(mediaJobSchema, workerData));
parentPort?.on('message', () => {
  void getReply(events).then((reply) => parentPort?.postMessage(reply, getTransferList(reply)));
});
