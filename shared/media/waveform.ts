/** Discord: at most 256 points, and none closer than 100 ms to the next (resources/message, attachment object). */
const MAX_POINTS = 256;
const POINTS_PER_SECOND = 10;

/** How loud sound is from its beginning to its end, as Discord draws it under a voice message: a byte per point, base64. */
export function waveform(samples: Float32Array, rate: number): string {
  const seconds = samples.length / rate;
  const count = Math.max(1, Math.min(MAX_POINTS, Math.ceil(seconds * POINTS_PER_SECOND)));
  const width = samples.length / count;
  const loud = Array.from({ length: count }, (_, n) =>
    rms(samples.subarray(Math.floor(n * width), Math.floor((n + 1) * width))),
  );
  const most = Math.max(...loud) || 1;
  // The root makes soft speech visible beside loud.
  return Buffer.from(loud.map((value) => Math.round(255 * Math.sqrt(value / most)))).toString('base64');
}

function rms(samples: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < samples.length; n += 1) sum += (samples[n] ?? 0) ** 2;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}
