/** The content is not what its beginning says. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

/** What is left of a picture. Sizes in pixels. */
export type Stripped = {
  readonly width: number;
  readonly height: number;
  readonly parts: readonly Uint8Array[];
};

/** Reads numbers and pieces out of bytes. Throws Damaged beyond their end. */
export class Reader {
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
    return this.#at(at, 1, () => this.#view.getUint8(at));
  }

  u16(at: number, little = false): number {
    return this.#at(at, 2, () => this.#view.getUint16(at, little));
  }

  u32(at: number, little = false): number {
    return this.#at(at, 4, () => this.#view.getUint32(at, little));
  }

  /** Bytes as Latin-1 text. */
  text(at: number, length: number): string {
    return String.fromCharCode(...this.part(at, at + length));
  }

  /** From `start` up to, and without, `end`. */
  part(start: number, end: number): Uint8Array {
    if (start < 0 || end < start || end > this.#bytes.length) throw new Damaged('it ends too early');
    return this.#bytes.subarray(start, end);
  }

  #at<T>(at: number, size: number, read: () => T): T {
    if (at < 0 || at + size > this.#bytes.length) throw new Damaged('it ends too early');
    return read();
  }
}
