/**
 * Mixes all channels to their mean, which cannot clip. Audio on one channel only becomes quieter by the number of
 * channels; transcription models tolerate that.
 */
export function mixToMono(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = channels;
  if (others.length === 0) return first;
  const mixed = first.slice();
  for (const channel of others) {
    for (let n = 0; n < mixed.length; n += 1) mixed[n] = (mixed[n] ?? 0) + (channel[n] ?? 0);
  }
  const factor = 1 / channels.length;
  for (let n = 0; n < mixed.length; n += 1) mixed[n] = (mixed[n] ?? 0) * factor;
  return mixed;
}

/** Converts to 16 bits; clips values beyond full scale, and turns NaN into silence. */
export function toInt16(samples: Float32Array): Int16Array {
  const rounded = new Int16Array(samples.length);
  for (let n = 0; n < rounded.length; n += 1) {
    const value = (samples[n] ?? 0) * 32_768;
    // Storing truncates, so adding half a step rounds: several times faster than `Math.round`.
    rounded[n] =
      value >= 32_767 ? 32_767 : value <= -32_768 ? -32_768 : value < 0 ? value - 0.5 : value + 0.5;
  }
  return rounded;
}
