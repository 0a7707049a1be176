/** An invalid packet, or a kind of AAC that this decoder does not support. */
export class AacError extends Error {
  override name = 'AacError';
}

/** Readable zero bytes after the end of a packet. */
const PADDING_BYTES = 8;

/** Reads a packet bit by bit, most significant bit first. Throws an AacError at its end. */
export class BitReader {
  #view = new DataView(new ArrayBuffer(1024));
  #end = 0;
  /** The number of bits read. May be set back to an earlier value. */
  position = 0;

  /** Starts another packet, which is copied. */
  open(bytes: Uint8Array): this {
    if (bytes.length + PADDING_BYTES > this.#view.byteLength)
      this.#view = new DataView(new ArrayBuffer(2 * (bytes.length + PADDING_BYTES)));
    const copy = new Uint8Array(this.#view.buffer);
    copy.set(bytes);
    copy.fill(0, bytes.length, bytes.length + PADDING_BYTES);
    this.#end = bytes.length * 8;
    this.position = 0;
    return this;
  }

  get remaining(): number {
    return this.#end - this.position;
  }

  /** Returns the next 1 to 24 bits without consuming them; zeros beyond the end. */
  peek(count: number): number {
    return (this.#view.getInt32(this.position >> 3) << (this.position & 7)) >>> (32 - count);
  }

  skip(count: number): void {
    this.position += count;
    if (this.position > this.#end) throw new AacError('the packet is too short');
  }

  read(count: number): number {
    if (count === 0) return 0;
    const value = this.peek(count);
    this.skip(count);
    return value;
  }

  readFlag(): boolean {
    return this.read(1) === 1;
  }

  align(): void {
    this.position = (this.position + 7) & ~7;
  }
}
