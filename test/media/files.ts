/** Files written byte by byte: WAV in every form, FLAC without compression. */
import type { Sound } from '../simulators/recording/encode.ts';

// A local copy: globals are slow in the test runner.
const { max, min, round } = Math;

export type WavKind = 'u8' | 's16' | 's24' | 's32' | 'f32';
const WIDTH = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4 } as const;

/** `claimed`: the number of audio bytes in the header. */
export function wavFile({ channels, rate }: Sound, kind: WavKind = 's16', claimed?: number): Uint8Array {
  const width = WIDTH[kind];
  const length = channels[0]?.length ?? 0;
  const bytes = Buffer.alloc(44 + length * channels.length * width);
  const header = wavHeader({ channels: channels.length, rate, kind, size: claimed ?? bytes.length - 44 });
  bytes.set(header);
  let at = 44;
  for (let n = 0; n < length; n += 1) {
    for (const channel of channels) {
      put(bytes, at, channel[n] ?? 0, kind);
      at += width;
    }
  }
  return bytes;
}

/** The 44 bytes of the header, whatever they claim. */
export function wavHeader(of: { channels: number; rate: number; kind: WavKind; size: number }): Uint8Array {
  const width = WIDTH[of.kind];
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE((of.size + 36) >>> 0, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(of.kind === 'f32' ? 3 : 1, 20);
  header.writeUInt16LE(of.channels, 22);
  header.writeUInt32LE(of.rate, 24);
  header.writeUInt32LE((of.rate * of.channels * width) >>> 0, 28);
  header.writeUInt16LE((of.channels * width) & 0xffff, 32);
  header.writeUInt16LE(width * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(of.size, 40);
  return header;
}

function put(bytes: Buffer, at: number, value: number, kind: WavKind): void {
  const whole = (bits: number): number =>
    max(-(2 ** (bits - 1)), min(2 ** (bits - 1) - 1, round(value * 2 ** (bits - 1))));
  if (kind === 'f32') bytes.writeFloatLE(value, at);
  else if (kind === 'u8') bytes.writeUInt8(whole(8) + 128, at);
  else bytes.writeIntLE(whole(WIDTH[kind] * 8), at, WIDTH[kind]);
}

const BLOCK = 4096;

/** 16 bits, every sample uncompressed (RFC 9639, verbatim subframes). */
export function flacFile({ channels, rate }: Sound): Uint8Array {
  const length = channels[0]?.length ?? 0;
  const info = Buffer.alloc(34);
  info.writeUInt16BE(BLOCK, 0);
  info.writeUInt16BE(BLOCK, 2);
  // 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of length.
  info.writeUInt32BE(((rate << 12) | ((channels.length - 1) << 9) | (15 << 4)) >>> 0, 10);
  info.writeUInt32BE(length, 14);
  const start = Buffer.concat([Buffer.from('fLaC'), Buffer.from([0x80, 0, 0, 34]), info]);
  const frames = Array.from({ length: Math.ceil(length / BLOCK) }, (_, n) =>
    flacFrame(
      channels.map((channel) => channel.subarray(n * BLOCK, (n + 1) * BLOCK)),
      n,
    ),
  );
  return Buffer.concat([start, ...frames]);
}

function flacFrame(channels: readonly Float32Array[], number: number): Buffer {
  const size = channels[0]?.length ?? 0;
  // The block size is in the 16 bits after the header; rate and bits are those of the file.
  const header = [
    0xff,
    0xf8,
    0x70,
    (channels.length - 1) << 4,
    ...utf8(number),
    (size - 1) >> 8,
    (size - 1) & 255,
  ];
  const body = Buffer.alloc(channels.length * (1 + size * 2));
  let at = 0;
  for (const channel of channels) {
    body.writeUInt8(0x02, at);
    at += 1;
    for (const value of channel) {
      put(body, at, value, 's16');
      body.subarray(at, at + 2).swap16();
      at += 2;
    }
  }
  const frame = Buffer.concat([Buffer.from([...header, crc(Buffer.from(header), 8, 0x07)]), body]);
  const check = Buffer.alloc(2);
  check.writeUInt16BE(crc(frame, 16, 0x8005));
  return Buffer.concat([frame, check]);
}

/** A number encoded like UTF-8, up to 16 bits. */
function utf8(number: number): number[] {
  return [...Buffer.from(String.fromCodePoint(number))];
}

const tables = new Map<number, Uint16Array>();

function crc(bytes: Uint8Array, bits: 8 | 16, polynomial: number): number {
  const table = tables.get(bits) ?? crcTable(bits, polynomial);
  tables.set(bits, table);
  let value = 0;
  for (let n = 0; n < bytes.length; n += 1) {
    value = ((value << 8) ^ (table[(value >> (bits - 8)) ^ (bytes[n] ?? 0)] ?? 0)) & ((1 << bits) - 1);
  }
  return value;
}

function crcTable(bits: 8 | 16, polynomial: number): Uint16Array {
  const [top, mask] = [1 << (bits - 1), (1 << bits) - 1];
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (bits - 8);
    for (let n = 0; n < 8; n += 1) value = (value & top ? (value << 1) ^ polynomial : value << 1) & mask;
    return value;
  });
}
