/** What models that listen are sent: 16 kHz, mono. */
export const RATE = 16_000;
const HEADER = 44;

/** A WAV file of these samples, at 16 kHz, mono, 16 bits. */
export function wavOf(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(HEADER + samples.byteLength);
  const view = new DataView(bytes.buffer);
  const text = (at: number, word: string): void => bytes.set(new TextEncoder().encode(word), at);
  text(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, samples.byteLength, true);
  // Both this machine and those that we are deployed to keep the low byte first, as WAV does.
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), HEADER);
  return bytes;
}
