import { spawn } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Collector, type Listen } from '../thread/collect.ts';
import { type MediaEvent, MediaError } from '../thread/events.ts';
import { RATE } from '../formats/wav.ts';

export type FfmpegConfig = {
  /** Where the program lies. */
  readonly path: string;
  readonly time: { readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void> };
  readonly patienceMs: number;
};

/** Files that name other files, such as playlists, are not among these; nor are protocols that reach the network. */
const FORMATS = 'ogg,mov,matroska,mp3,flac,wav,aac,amr,asf,caf,aiff';

const argumentsFor = (input: string, seconds: number): string[] =>
  [
    ['-nostdin', '-v', 'error', '-protocol_whitelist', 'pipe,file', '-format_whitelist', FORMATS],
    ['-probesize', '5M', '-analyzeduration', '5M', '-i', input, '-map', '0:a:0', '-vn', '-sn', '-dn'],
    ['-t', String(seconds), '-ac', '1', '-ar', String(RATE), '-f', 's16le', 'pipe:1'],
  ].flat();

/**
 * As `listen`, by the ffmpeg that an owner put there, in a process of its own with no environment. It wants a file that
 * it can go back and forth in: that one has no name any more when ffmpeg gets it, so that nothing of it stays.
 */
export async function* listenByFfmpeg(
  { path, time, patienceMs }: FfmpegConfig,
  bytes: Uint8Array,
  options: Listen,
): AsyncGenerator<MediaEvent> {
  const file = await nameless(bytes);
  const over = new AbortController();
  const seconds = Math.ceil(options.mostMs / 1000);
  const child = spawn(path, argumentsFor('/proc/self/fd/3', seconds), {
    env: {},
    stdio: ['ignore', 'pipe', 'ignore', file.fd],
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  let slow = false;
  const stop = (): void => {
    slow = true;
    child.kill('SIGKILL');
  };
  time.sleep(patienceMs, over.signal).then(stop, () => undefined);
  try {
    const collector = new Collector(options);
    yield { type: 'begin', container: 'other', codec: 'ffmpeg' };
    for await (const samples of wholeSamples(child.stdout)) yield* collector.push(samples);
    const code = await ended;
    if (collector.position === 0) throw new MediaError(slow ? 'slow' : 'broken', 'ffmpeg');
    const broken = slow ? 'slow' : code === 0 ? undefined : 'damaged';
    yield* collector.end(collector.full ? 'long' : broken);
  } finally {
    over.abort(new Error('ffmpeg has ended'));
    child.kill('SIGKILL');
    await ended;
    await file.close();
  }
}

async function nameless(bytes: Uint8Array): Promise<Awaited<ReturnType<typeof open>>> {
  const folder = await mkdtemp(join(tmpdir(), 'sound-'));
  try {
    const name = join(folder, 'recording');
    await writeFile(name, bytes, { mode: 0o600 });
    return await open(name, 'r');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Bytes may come cut in the middle of a sample. */
async function* wholeSamples(stream: AsyncIterable<Uint8Array> | null): AsyncGenerator<Int16Array> {
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
