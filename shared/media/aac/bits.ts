/** A packet that is not AAC, or not of the kind that is decoded here. */
export class AacError extends Error {
  override name = 'AacError';
}

/** What may be looked at beyond the end of a packet, in bytes. */
const BEYOND = 8;

/** Reads a packet bit by bit, the highest first. Throws an AacError at its end. */
export class Bits {
  #view = new DataView(new ArrayBuffer(1024));
  #end = 0;
  /** How many bits were read. May be set back to one that it had. */
  at = 0;

  /** Goes on with another packet, of which it keeps a copy. */
  open(bytes: Uint8Array): this {
    if (bytes.length + BEYOND > this.#view.byteLength)
      this.#view = new DataView(new ArrayBuffer(2 * (bytes.length + BEYOND)));
    const copy = new Uint8Array(this.#view.buffer);
    copy.set(bytes);
    copy.fill(0, bytes.length, bytes.length + BEYOND);
    this.#end = bytes.length * 8;
    this.at = 0;
    return this;
  }

  get left(): number {
    return this.#end - this.at;
  }

  /** The next bits, 1 to 24 of them, without taking them; zeros beyond the end. */
  peek(count: number): number {
    return (this.#view.getInt32(this.at >> 3) << (this.at & 7)) >>> (32 - count);
  }

  skip(count: number): void {
    this.at += count;
    if (this.at > this.#end) throw new AacError('the packet is too short');
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
    this.at = (this.at + 7) & ~7;
  }
}
