import { RESAMPLING_KERNEL_CODE } from './resampling-kernel-code.ts';

/** The parameters of the function in `resampling-kernel.wat`, in its order. */
const PARAMETERS = ['samples', 'filters', 'out', 'end', 'width', 'up', 'step', 'turn', 'phase'] as const;

/** The used part of the WebAssembly API; Node's types omit it. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly own: { readonly memory: object } },
  ) => { readonly exports: { readonly run: (...parameters: number[]) => void } };
};

const compiledModule = new WebAssembly.Module(Buffer.from(RESAMPLING_KERNEL_CODE, 'base64'));

const PAGE_BYTES = 65_536;

/** The parameters of one run; positions and lengths are in bytes of the memory. */
export type KernelParameters = { readonly [name in (typeof PARAMETERS)[number]]: number };

export type Kernel = {
  /** 32-bit floats: the caller places input samples, filters and output in it. */
  readonly memory: ArrayBuffer;
  /**
   * Writes at least one number, from `out` to `end`: each is the dot product of the samples and one filter of `width` bytes,
   * a multiple of 16. For the next number the filter advances by `turn` and the samples by `step`; after the last filter
   * (`up`) the filters start again, and the samples advance by one more. Throws for positions beyond the memory.
   */
  readonly run: (run: KernelParameters) => void;
};

export function createKernel(bytes: number): Kernel {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  const { run } = new WebAssembly.Instance(compiledModule, { own: { memory } }).exports;
  return { memory: memory.buffer, run: (parameters) => run(...PARAMETERS.map((name) => parameters[name])) };
}
