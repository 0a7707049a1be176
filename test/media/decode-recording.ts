import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFile } from '../../infra/cdk/bundle.ts';
import {
  type MediaEvent,
  type DecodeOptions,
  createMedia,
  type MediaConfig,
  type AudioChunk,
} from '../../shared/media/index.ts';
import { systemTime } from '../../shared/runtime/time.ts';
import { samplesOf } from './signal.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-media-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The thread as it is deployed: bundled. It starts in a third of the time of its sources. */
export const MEDIA_THREAD = join(folder, 'media-thread.js');
writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
bundleFile('shared/media/worker-thread/media-thread.ts', MEDIA_THREAD);

/** All events of a recording. */
export type DecodedRecording = {
  readonly begin: Extract<MediaEvent, { type: 'begin' }>;
  readonly chunks: readonly AudioChunk[];
  readonly end: Extract<MediaEvent, { type: 'end' }>;
};

export async function decodeRecording(
  bytes: Uint8Array,
  options: Partial<DecodeOptions> = {},
  config: Partial<MediaConfig> = {},
): Promise<DecodedRecording> {
  const { decode: listen } = createMedia({ entryFile: MEDIA_THREAD, time: systemTime, ...config });
  const events: MediaEvent[] = [];
  for await (const event of listen(bytes, { maxMs: 20 * 60_000, ...options })) events.push(event);
  const [begin, end] = [events[0], events.at(-1)];
  if (begin?.type !== 'begin' || end?.type !== 'end') throw new Error('it neither began nor ended');
  return { begin, end, chunks: events.filter((event) => event.type === 'chunk') };
}

/** The chunks at their times, at 16 kHz, with silence between them. */
export function joinedSamples({ chunks, end }: DecodedRecording): Float32Array {
  const samples = new Float32Array(Math.round(end.ms * 16));
  for (const { wav, fromMs } of chunks) {
    const part = samplesOf(wav);
    samples.set(part.subarray(0, samples.length - fromMs * 16), fromMs * 16);
  }
  return samples;
}
