/** Discord: at most 256 points, at least 100 ms apart (resources/message, attachment object). */
const MAX_POINTS = 256;
const POINTS_PER_SECOND = 10;

/** Calculates the loudness curve of a Discord voice message: one byte per point, base64. */
export function createWaveform(samples: Float32Array, rate: number): string {
  const seconds = samples.length / rate;
  const count = Math.max(1, Math.min(MAX_POINTS, Math.ceil(seconds * POINTS_PER_SECOND)));
  const width = samples.length / count;
  const loudness = Array.from({ length: count }, (_, n) =>
    getRms(samples.subarray(Math.floor(n * width), Math.floor((n + 1) * width))),
  );
  const maxLoudness = Math.max(...loudness) || 1;
  // The square root makes soft speech visible next to loud speech.
  return Buffer.from(loudness.map((value) => Math.round(255 * Math.sqrt(value / maxLoudness)))).toString(
    'base64',
  );
}

function getRms(samples: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < samples.length; n += 1) sum += (samples[n] ?? 0) ** 2;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}
