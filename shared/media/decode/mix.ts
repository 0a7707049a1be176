/**
 * All channels as one: their mean, so that the loudest moment of all can never be louder than full. Sound on one channel
 * alone becomes quieter by the number of channels, which the models that listen do not mind.
 */
export function mono(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = channels;
  if (others.length === 0) return first;
  const mixed = first.slice();
  for (const channel of others) {
    for (let n = 0; n < mixed.length; n += 1) mixed[n] = (mixed[n] ?? 0) + (channel[n] ?? 0);
  }
  const share = 1 / channels.length;
  for (let n = 0; n < mixed.length; n += 1) mixed[n] = (mixed[n] ?? 0) * share;
  return mixed;
}

/** As 16 bits; what is beyond full is cut off, and what is no number is silence. */
export function int16(samples: Float32Array): Int16Array {
  const whole = new Int16Array(samples.length);
  for (let n = 0; n < whole.length; n += 1) {
    const value = (samples[n] ?? 0) * 32_768;
    // What is stored is cut to a whole number, so that half of one more rounds it: several times faster than by `Math`.
    whole[n] = value >= 32_767 ? 32_767 : value <= -32_768 ? -32_768 : value < 0 ? value - 0.5 : value + 0.5;
  }
  return whole;
}
