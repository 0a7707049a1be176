/** The two tones of each telephone key in Hz (ITU-T Q.23): they survive speech codecs. */
const LOW = [697, 770, 852, 941] as const;
const HIGH = [1209, 1336, 1477, 1633] as const;
const KEYS = [
  ['1', '2', '3', 'A'],
  ['4', '5', '6', 'B'],
  ['7', '8', '9', 'C'],
  ['*', '0', '#', 'D'],
] as const;

export type Key = (typeof KEYS)[number][number];

/** The tones of a key. */
export function pairOf(key: Key): readonly [number, number] {
  const row = KEYS.findIndex((keys) => keys.some((one) => one === key));
  const column = KEYS[row]?.findIndex((one) => one === key) ?? 1;
  return [LOW[row] ?? LOW[3], HIGH[column] ?? HIGH[1]];
}

/** Below this mean square there is silence. */
const SILENCE = 1e-4;
/** The minimum share of the sound in the two tones. */
const PURITY = 0.6;
/** The minimum ratio of a tone to the next one of its group: at a transition between tones, neither counts. */
const LEAD = 3;

/** The key whose tones fill a segment; undefined for silence and other sound. */
export function keyAt(samples: Float32Array, rate: number): Key | undefined {
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  if (energy / samples.length < SILENCE) return undefined;
  const low = strongest(samples, rate, LOW);
  const high = strongest(samples, rate, HIGH);
  if ((2 * (low.power + high.power)) / samples.length < PURITY * energy) return undefined;
  if (low.lead < LEAD || high.lead < LEAD) return undefined;
  return KEYS[low.at]?.[high.at];
}

function strongest(samples: Float32Array, rate: number, tones: readonly number[]) {
  const powers = tones.map((tone) => goertzel(samples, rate, tone));
  const power = Math.max(...powers);
  const at = powers.indexOf(power);
  const next = Math.max(...powers.filter((_, nth) => nth !== at));
  return { at, power, lead: power / Math.max(next, Number.MIN_VALUE) };
}

/** The power of one frequency in a segment (Goertzel). */
function goertzel(samples: Float32Array, rate: number, tone: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * tone) / rate);
  let one = 0;
  let two = 0;
  for (let at = 0; at < samples.length; at += 1) {
    const next = (samples[at] ?? 0) + factor * one - two;
    two = one;
    one = next;
  }
  return one * one + two * two - factor * one * two;
}
