/** A packet that is not AAC, or not of the kind that is decoded here. */
export class AacError extends Error {
  override name = 'AacError';
}

/** Reads a packet bit by bit, the highest first. Throws an AacError at its end. */
export class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length * 8 - this.#at;
  }

  /** The next bits, at most 24, without taking them; zeros beyond the end. */
  peek(count: number): number {
    const byte = this.#at >> 3;
    const bytes = this.#bytes;
    const word =
      ((bytes[byte] ?? 0) << 24) |
      ((bytes[byte + 1] ?? 0) << 16) |
      ((bytes[byte + 2] ?? 0) << 8) |
      (bytes[byte + 3] ?? 0);
    return (word << (this.#at & 7)) >>> (32 - count);
  }

  skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length * 8) throw new AacError('the packet is too short');
  }

  read(count: number): number {
    if (count === 0) return 0;
    const value = this.peek(count);
    this.skip(count);
    return value;
  }

  flag(): boolean {
    return this.read(1) === 1;
  }

  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}
