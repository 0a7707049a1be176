import { frameUnit, pictureUnit, sequenceUnit } from './h264.ts';
import type { Picture } from './h264.ts';

type Film = {
  readonly width: number;
  readonly height: number;
  readonly rate: number;
  readonly samples: Buffer[];
};

function u8(...values: number[]): Buffer {
  return Buffer.from(values);
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => bytes.writeUInt16BE(value, at * 2));
  return bytes;
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeUInt32BE(value, at * 4));
  return bytes;
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** An MP4 file (ISO 14496-12) of H.264 pictures, the index before the pictures, so that it plays while it loads. */
function mux(film: Film): Buffer {
  const head = box('ftyp', Buffer.from('isom'), u32(512), Buffer.from('isomiso2avc1mp41'));
  const media = box('mdat', ...film.samples);
  const index = (offset: number): Buffer => movie(film, offset);
  return Buffer.concat([head, index(head.length + index(0).length + 8), media]);
}

function movie(film: Film, offset: number): Buffer {
  const length = film.samples.length;
  const header = box(
    'mvhd',
    u32(0, 0, 0, film.rate, length, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    MATRIX,
    u32(0, 0, 0, 0, 0, 0, 2),
  );
  const track = box(
    'tkhd',
    u32(3, 0, 0, 1, 0, length, 0, 0),
    u16(0, 0, 0, 0),
    MATRIX,
    u32(film.width * 0x10000, film.height * 0x10000),
  );
  const timing = box('mdhd', u32(0, 0, 0, film.rate, length), u16(0x55c4, 0));
  const handler = box('hdlr', u32(0, 0), Buffer.from('vide'), u32(0, 0, 0), Buffer.from('video\0'));
  const source = box('dinf', box('dref', u32(0, 1), box('url ', u32(1))));
  const information = box('minf', box('vmhd', u32(1), u16(0, 0, 0, 0)), source, table(film, offset));
  return box('moov', header, box('trak', track, box('mdia', timing, handler, information)));
}

function table({ width, height, samples }: Film, offset: number): Buffer {
  const sequence = sequenceUnit(width, height);
  const picture = pictureUnit();
  const decoder = box(
    'avcC',
    u8(1, 66, 0xc0, 30, 0xff, 0xe1),
    u16(sequence.length),
    sequence,
    u8(1),
    u16(picture.length),
    picture,
  );
  const entry = box(
    'avc1',
    u16(0, 0, 0, 1),
    Buffer.alloc(16),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    decoder,
  );
  return box(
    'stbl',
    box('stsd', u32(0, 1), entry),
    box('stts', u32(0, 1, samples.length, 1)),
    box('stss', u32(0, 1, 1)),
    box('stsc', u32(0, 1, 1, samples.length, 1)),
    box('stsz', u32(0, 0, samples.length, ...samples.map((sample) => sample.length))),
    box('stco', u32(0, 1, offset)),
  );
}

/** A ball that crosses the evening sky: something is seen to move. */
function draw(width: number, height: number, at: number): Picture {
  const y = new Uint8Array(width * height);
  const cb = new Uint8Array((width * height) / 4);
  const cr = new Uint8Array((width * height) / 4);
  const [x, top] = [16 + at * (width - 32), height * (0.7 - 1.6 * at * (1 - at))];
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const ball = (column - x) ** 2 + (row - top) ** 2 < 144;
      y[row * width + column] = ball ? 210 : 60 + (row >> 4) * 16;
      const small = (row >> 1) * (width / 2) + (column >> 1);
      cb[small] = ball ? 60 : 150 - (row >> 4) * 6;
      cr[small] = ball ? 170 : 110 + (row >> 4) * 8;
    }
  }
  return { width, height, y, cb, cr };
}

function shoot(width: number, height: number, rate: number, seconds: number): Buffer {
  const count = rate * seconds;
  const pictures = Array.from({ length: count }, (_, at) => draw(width, height, at / (count - 1)));
  const samples = pictures.map((picture, at) => {
    const coded = frameUnit(picture, pictures[at - 1], at);
    return Buffer.concat([u32(coded.length), coded]);
  });
  return mux({ width, height, rate, samples });
}

let file: Buffer | undefined;

/** The film that every video of the simulator is: 160 by 96, 10 pictures a second, 3 seconds; made once. */
export function clip(): Buffer {
  file ??= shoot(160, 96, 10, 3);
  return file;
}
