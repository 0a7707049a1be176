import { spawn } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChunkCollector, type ChunkOptions } from './chunk-collector.ts';
import { type MediaEvent, MediaError } from '../media-events.ts';
import { SAMPLE_RATE } from '../formats/wav.ts';

export type FfmpegConfig = {
  /** Path of the program. */
  readonly path: string;
  readonly time: { readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void> };
  readonly timeoutMs: number;
};

/** Excludes formats that refer to other files, such as playlists. The protocol list excludes the network. */
const FORMATS = 'ogg,mov,matroska,mp3,flac,wav,aac,amr,asf,caf,aiff';

const buildArguments = (input: string, seconds: number): string[] =>
  [
    ['-nostdin', '-v', 'error', '-protocol_whitelist', 'pipe,file', '-format_whitelist', FORMATS],
    ['-probesize', '5M', '-analyzeduration', '5M', '-i', input, '-map', '0:a:0', '-vn', '-sn', '-dn'],
    ['-t', String(seconds), '-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 's16le', 'pipe:1'],
  ].flat();

/**
 * Like `decodeRecording`, with the ffmpeg that the owner installed, in a process without environment variables. ffmpeg
 * needs a seekable file: it gets an open file that is already unlinked, so that nothing stays on disk.
 */
export async function* decodeWithFfmpeg(
  { path, time, timeoutMs }: FfmpegConfig,
  bytes: Uint8Array,
  options: ChunkOptions,
): AsyncGenerator<MediaEvent> {
  const file = await openUnlinkedFile(bytes);
  const finished = new AbortController();
  const seconds = Math.ceil(options.maxMs / 1000);
  const child = spawn(path, buildArguments('/proc/self/fd/3', seconds), {
    env: {},
    stdio: ['ignore', 'pipe', 'ignore', file.fd],
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  let hasTimedOut = false;
  const stop = (): void => {
    hasTimedOut = true;
    child.kill('SIGKILL');
  };
  time.sleep(timeoutMs, finished.signal).then(stop, () => undefined);
  try {
    const collector = new ChunkCollector(options);
    yield { type: 'begin', container: 'other', codec: 'ffmpeg' };
    for await (const samples of readSamples(child.stdout)) yield* collector.push(samples);
    const code = await ended;
    if (collector.position === 0) throw new MediaError(hasTimedOut ? 'slow' : 'broken', 'ffmpeg');
    const partial = hasTimedOut ? 'slow' : code === 0 ? undefined : 'damaged';
    yield* collector.end(collector.isFull ? 'long' : partial);
  } finally {
    finished.abort(new Error('ffmpeg has ended'));
    child.kill('SIGKILL');
    await ended;
    await file.close();
  }
}

async function openUnlinkedFile(bytes: Uint8Array): Promise<Awaited<ReturnType<typeof open>>> {
  const folder = await mkdtemp(join(tmpdir(), 'sound-'));
  try {
    const name = join(folder, 'recording');
    await writeFile(name, bytes, { mode: 0o600 });
    return await open(name, 'r');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Chunks may end in the middle of a sample. */
async function* readSamples(stream: AsyncIterable<Uint8Array> | null): AsyncGenerator<Int16Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream ?? []) {
    const all = Buffer.concat([rest, chunk]);
    const even = all.length - (all.length % 2);
    const samples = new Int16Array(even / 2);
    Buffer.from(samples.buffer).set(all.subarray(0, even));
    rest = all.subarray(even);
    yield samples;
  }
}
