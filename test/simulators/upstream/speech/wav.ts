/** A recording in mono, -1 to 1. `channels` is the number of channels in the file. */
export type Recording = { readonly rate: number; readonly channels: number; readonly samples: Float32Array };

/** Reads a WAV file of 16-bit PCM; undefined for anything else. Several channels are mixed into one. */
export function readWav(bytes: Buffer): Recording | undefined {
  if (!isWav(bytes)) return undefined;
  let format: { channels: number; rate: number; bits: number; kind: number } | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + 8, at + 8 + size);
    if (name === 'fmt ' && body.length >= 16) {
      const [kind, channels] = [body.readUInt16LE(0), body.readUInt16LE(2)];
      format = { kind, channels, rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
    }
    // Of the length that it claims, or none at all.
    if (name === 'data' && format !== undefined)
      return body.length === size ? samplesOf(body, format) : undefined;
    at += 8 + size + (size % 2);
  }
  return undefined;
}

/** Whether a file says that it is WAV. */
function isWav(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE';
}

function samplesOf(
  body: Buffer,
  { kind, channels, rate, bits }: { kind: number; channels: number; rate: number; bits: number },
): Recording | undefined {
  const pcm = kind === 1 || kind === 0xfffe;
  if (!pcm || bits !== 16 || channels < 1 || rate < 1000) return undefined;
  const samples = new Float32Array(Math.floor(body.length / 2 / channels));
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  for (let at = 0; at < samples.length; at += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1)
      sum += view.getInt16((at * channels + channel) * 2, true);
    samples[at] = sum / channels / 32768;
  }
  return { rate, channels, samples };
}

/** A WAV file of one channel, 16-bit PCM. */
export function writeWav(samples: Float32Array, rate: number): Buffer {
  const bytes = Buffer.alloc(44 + samples.length * 2);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(36 + samples.length * 2, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(samples.length * 2, 40);
  samples.forEach((sample, at) => {
    bytes.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32767), 44 + at * 2);
  });
  return bytes;
}
