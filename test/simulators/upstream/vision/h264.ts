/** A picture in 4:2:0: one byte per pixel of brightness, one per four of each colour. Sizes in pixels, multiples of 16. */
export type Picture = {
  readonly width: number;
  readonly height: number;
  readonly y: Uint8Array;
  readonly cb: Uint8Array;
  readonly cr: Uint8Array;
};

type Bits = {
  u: (value: number, length: number) => void;
  ue: (value: number) => void;
  align: () => void;
  raw: (bytes: Uint8Array) => void;
  end: () => Buffer;
};

/** Bits, the first one the highest; Exp-Golomb for `ue` (H.264 §9.1). */
function createBits(): Bits {
  const bytes: number[] = [];
  let filled = 0;
  const bit = (value: number): void => {
    if (filled % 8 === 0) bytes.push(0);
    const last = bytes.length - 1;
    bytes[last] = (bytes[last] ?? 0) | (value << (7 - (filled % 8)));
    filled += 1;
  };
  const u = (value: number, length: number): void => {
    for (let at = length - 1; at >= 0; at -= 1) bit((value >> at) & 1);
  };
  const align = (): void => {
    for (let missing = (8 - (filled % 8)) % 8; missing > 0; missing -= 1) bit(0);
  };
  return {
    u,
    align,
    ue(value) {
      const length = Math.floor(Math.log2(value + 1));
      u(0, length);
      u(value + 1, length + 1);
    },
    raw(more) {
      for (const byte of more) bytes.push(byte);
      filled += more.length * 8;
    },
    end() {
      bit(1);
      align();
      return Buffer.from(bytes);
    },
  };
}

/** A NAL unit: its head, and bytes that look like a start code kept apart by a 3. */
function unit(head: number, payload: Buffer): Buffer {
  const bytes = [head];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}

/** Sequence parameters: Baseline, one reference, output in decoding order. */
export function sequenceUnit(width: number, height: number): Buffer {
  const bits = createBits();
  bits.u(66, 8);
  bits.u(0xc0, 8);
  bits.u(30, 8);
  bits.ue(0);
  bits.ue(0);
  bits.ue(2);
  bits.ue(1);
  bits.u(0, 1);
  bits.ue(width / 16 - 1);
  bits.ue(height / 16 - 1);
  bits.u(0b1100, 4);
  return unit(0x67, bits.end());
}

/** Picture parameters: CAVLC, and a switch for the deblocking filter in each slice. */
export function pictureUnit(): Buffer {
  const bits = createBits();
  bits.ue(0);
  bits.ue(0);
  bits.u(0, 2);
  bits.ue(0);
  bits.ue(0);
  bits.ue(0);
  bits.u(0, 3);
  // Three signed Exp-Golomb zeros: QP, QS and the offset of the colours.
  bits.u(0b111, 3);
  bits.u(0b100, 3);
  return unit(0x68, bits.end());
}

/**
 * One picture, uncompressed (I_PCM). Where `before` is given, macroblocks that did not change are skipped, so that a
 * still background costs nothing.
 */
export function frameUnit(picture: Picture, before: Picture | undefined, number: number): Buffer {
  const bits = createBits();
  const key = before === undefined;
  bits.ue(0);
  bits.ue(key ? 7 : 5);
  bits.ue(0);
  bits.u(number % 16, 4);
  if (key) bits.ue(0);
  // For a key picture two flags of reference marking; else no override, no reordering, no marking.
  bits.u(0, key ? 2 : 3);
  bits.u(1, 1);
  bits.ue(1);
  writeBlocks(bits, picture, before);
  return unit(key ? 0x65 : 0x41, bits.end());
}

function writeBlocks(bits: Bits, picture: Picture, before: Picture | undefined): void {
  let skipped = 0;
  for (let row = 0; row < picture.height / 16; row += 1) {
    for (let column = 0; column < picture.width / 16; column += 1) {
      const block = blockOf(picture, column, row);
      if (before !== undefined) {
        if (block.equals(blockOf(before, column, row))) {
          skipped += 1;
          continue;
        }
        bits.ue(skipped);
        skipped = 0;
      }
      bits.ue(before === undefined ? 25 : 30);
      bits.align();
      bits.raw(block);
    }
  }
  if (skipped > 0) bits.ue(skipped);
}

function blockOf(picture: Picture, column: number, row: number): Buffer {
  const lines = (plane: Uint8Array, size: number): Uint8Array[] => {
    const stride = (picture.width * size) / 16;
    const start = row * size * stride + column * size;
    return Array.from({ length: size }, (_, line) =>
      plane.subarray(start + line * stride, start + line * stride + size),
    );
  };
  return Buffer.concat([...lines(picture.y, 16), ...lines(picture.cb, 8), ...lines(picture.cr, 8)]);
}
