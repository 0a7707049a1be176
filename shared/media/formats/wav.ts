/** Input of transcription models: 16 kHz mono. */
export const SAMPLE_RATE = 16_000;
const HEADER_BYTES = 44;

/** Encodes samples as a WAV file: 16 kHz, mono, 16 bits. */
export function encodeWav(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + samples.byteLength);
  const view = new DataView(bytes.buffer);
  const writeText = (at: number, tag: string): void => bytes.set(new TextEncoder().encode(tag), at);
  writeText(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  writeText(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, SAMPLE_RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  writeText(36, 'data');
  view.setUint32(40, samples.byteLength, true);
  // All supported machines are little-endian, like WAV.
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), HEADER_BYTES);
  return bytes;
}
