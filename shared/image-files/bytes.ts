/** The content does not match the format of its first bytes. */
export class DamagedImageError extends Error {
  override readonly name = 'DamagedImageError';
}

/** An image without metadata. Sizes in pixels. */
export type StrippedImage = {
  readonly width: number;
  readonly height: number;
  readonly parts: readonly Uint8Array[];
};

/** Reads numbers and byte ranges. Throws a DamagedImageError beyond the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.#bytes.length;
  }

  u8(at: number): number {
    return this.#read(at, 1, () => this.#view.getUint8(at));
  }

  u16(at: number, isLittleEndian = false): number {
    return this.#read(at, 2, () => this.#view.getUint16(at, isLittleEndian));
  }

  u32(at: number, isLittleEndian = false): number {
    return this.#read(at, 4, () => this.#view.getUint32(at, isLittleEndian));
  }

  /** Reads Latin-1 text. */
  text(at: number, length: number): string {
    return String.fromCharCode(...this.slice(at, at + length));
  }

  /** Returns the bytes from `start` to `end`, exclusive. */
  slice(start: number, end: number): Uint8Array {
    if (start < 0 || end < start || end > this.#bytes.length)
      throw new DamagedImageError('it ends too early');
    return this.#bytes.subarray(start, end);
  }

  #read<T>(at: number, size: number, read: () => T): T {
    if (at < 0 || at + size > this.#bytes.length) throw new DamagedImageError('it ends too early');
    return read();
  }
}
