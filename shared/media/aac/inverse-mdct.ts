/** The inverse MDCT of one size: `lines` spectral lines to twice as many samples, without window. */
export class InverseMdct {
  readonly #lines: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #roots: { readonly re: Float64Array; readonly im: Float64Array };
  readonly #bitReversal: Uint16Array;
  readonly #re: Float64Array;
  readonly #im: Float64Array;
  readonly #out: Float64Array;

  constructor(lines: number) {
    this.#lines = lines;
    const half = lines / 2;
    const twiddle = (n: number): number => (Math.PI * (4 * n + 1)) / (4 * lines);
    this.#cos = Float64Array.from({ length: half }, (_, n) => Math.cos(twiddle(n)));
    this.#sin = Float64Array.from({ length: half }, (_, n) => Math.sin(twiddle(n)));
    const turn = (n: number): number => (2 * Math.PI * n) / half;
    this.#roots = {
      re: Float64Array.from({ length: half / 2 }, (_, n) => Math.cos(turn(n))),
      im: Float64Array.from({ length: half / 2 }, (_, n) => -Math.sin(turn(n))),
    };
    const bits = Math.log2(half);
    this.#bitReversal = Uint16Array.from({ length: half }, (_, n) => {
      let reversed = 0;
      for (let bit = 0; bit < bits; bit += 1) if ((n >> bit) & 1) reversed |= 1 << (bits - 1 - bit);
      return reversed;
    });
    this.#re = new Float64Array(half);
    this.#im = new Float64Array(half);
    this.#out = new Float64Array(lines);
  }

  /**
   * Transforms the lines from index `at`: x[n] = sum of lines[k] cos(pi / L (n + 1/2 + L/2)(k + 1/2)), for L lines and
   * n < 2 L. Computed as a DCT-IV, which is a complex Fourier transform of half the size between two rotations.
   */
  run(lines: Float32Array, at: number, into: Float32Array): void {
    const length = this.#lines;
    const half = length / 2;
    const cos = this.#cos;
    const sin = this.#sin;
    const order = this.#bitReversal;
    const re = this.#re;
    const im = this.#im;
    const out = this.#out;
    for (let n = 0; n < half; n += 1) {
      const x = lines[at + 2 * n] ?? 0;
      const y = lines[at + length - 1 - 2 * n] ?? 0;
      const c = cos[n] ?? 0;
      const s = sin[n] ?? 0;
      const to = order[n] ?? 0;
      re[to] = x * c + y * s;
      im[to] = y * c - x * s;
    }
    this.#fourier();
    for (let n = 0; n < half; n += 1) {
      const x = re[n] ?? 0;
      const y = im[n] ?? 0;
      const c = cos[n] ?? 0;
      const s = sin[n] ?? 0;
      out[2 * n] = x * c + y * s;
      out[length - 1 - 2 * n] = x * s - y * c;
    }
    for (let n = 0; n < half; n += 1) {
      into[n] = out[half + n] ?? 0;
      into[half + n] = -(out[length - 1 - n] ?? 0);
      into[length + n] = -(out[half - 1 - n] ?? 0);
      into[length + half + n] = -(out[n] ?? 0);
    }
  }

  #fourier(): void {
    const re = this.#re;
    const im = this.#im;
    const size = re.length;
    const turnRe = this.#roots.re;
    const turnIm = this.#roots.im;
    for (let width = 1; width < size; width *= 2) {
      const stride = size / (2 * width);
      for (let n = 0; n < width; n += 1) {
        const c = turnRe[n * stride] ?? 0;
        const s = turnIm[n * stride] ?? 0;
        for (let a = n; a < size; a += 2 * width) {
          const b = a + width;
          const bRe = re[b] ?? 0;
          const bIm = im[b] ?? 0;
          const x = bRe * c - bIm * s;
          const y = bRe * s + bIm * c;
          const aRe = re[a] ?? 0;
          const aIm = im[a] ?? 0;
          re[b] = aRe - x;
          im[b] = aIm - y;
          re[a] = aRe + x;
          im[a] = aIm + y;
        }
      }
    }
  }
}
