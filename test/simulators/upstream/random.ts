/** A source of numbers in [0, 1), the same row of numbers for the same seed. */
export type Random = () => number;

/** FNV-1a, 32 bits: a short fingerprint of a text. */
export function hash(text: string, from = 0x811c9dc5): number {
  let value = from;
  for (let at = 0; at < text.length; at += 1) {
    value ^= text.charCodeAt(at);
    value = Math.imul(value, 0x01000193);
  }
  return value >>> 0;
}

/** mulberry32: small, fast and good enough to vary words. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One of a list that is not empty. */
export function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}

/** An identifier of lower-case letters and digits. */
export function identifier(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += Math.floor(random() * 36).toString(36);
  return text;
}
