/**
 * The inner loop of the resampler in WebAssembly. It multiplies four numbers at once, which JavaScript cannot, and most
 * recordings spend most of their decoding time here. The module is assembled below, instruction by instruction; the names
 * follow the WebAssembly Core Specification 2.0, chapter 5.
 */

/** The magic number and version 1 of a WebAssembly module. */
const MODULE_HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const I32 = 0x7f;
const V128 = 0x7b;
const EMPTY_BLOCK = 0x40;

/** LEB128 of a number below 16,384: seven bits per byte, lowest first. */
const encodeNumber = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
const withLength = (bytes: readonly number[]): number[] => [...encodeNumber(bytes.length), ...bytes];
const section = (id: number, bytes: readonly number[]): number[] => [id, ...withLength(bytes)];
const encodeName = (text: string): number[] => withLength([...new TextEncoder().encode(text)]);

/** The parameters of the function in this order, then its local variables. Positions are in bytes. */
const PARAMETERS = ['samples', 'filters', 'out', 'end', 'width', 'up', 'step', 'turn', 'phase'] as const;
const LOCALS = ['sample', 'tap', 'last', 'sum'] as const;
type LocalName = (typeof PARAMETERS)[number] | (typeof LOCALS)[number];
const localIndex = (name: LocalName): number => [...PARAMETERS, ...LOCALS].indexOf(name);

const get = (name: LocalName): number[] => [0x20, localIndex(name)];
const set = (name: LocalName): number[] => [0x21, localIndex(name)];
const i32 = (value: number): number[] => [0x41, value];
const ADD = 0x6a;
const SUB = 0x6b;
const MUL = 0x6c;
const LESS_THAN = 0x49;
const GREATER_OR_EQUAL = 0x4f;
const LOOP = [0x03, EMPTY_BLOCK];
const IF = [0x04, EMPTY_BLOCK];
const END = 0x0b;
const BRANCH_IF = [0x0d, 0];
const F32_STORE = [0x38, 2, 0];
const F32_ADD = 0x92;
const LOAD4 = [0xfd, 0x00, 2, 0];
const ZERO4 = [0xfd, 0x0c, ...Array<number>(16).fill(0)];
const MUL4 = [0xfd, ...encodeNumber(0xe6)];
const ADD4 = [0xfd, ...encodeNumber(0xe4)];
const lane = (name: number): number[] => [...get('sum'), 0xfd, 0x1f, name];
const addTo = (name: LocalName, what: readonly number[]): number[] => [
  ...get(name),
  ...what,
  ADD,
  ...set(name),
];

// prettier-ignore
const BODY = [
  ...LOOP,
    ...get('filters'), ...get('phase'), ...get('width'), MUL, ADD, ...set('tap'),
    ...get('tap'), ...get('width'), ADD, ...set('last'),
    ...get('samples'), ...set('sample'),
    ...ZERO4, ...set('sum'),
    ...LOOP,
      ...get('sample'), ...LOAD4, ...get('tap'), ...LOAD4, ...MUL4, ...get('sum'), ...ADD4, ...set('sum'),
      ...addTo('sample', i32(16)),
      ...addTo('tap', i32(16)),
      ...get('tap'), ...get('last'), LESS_THAN, ...BRANCH_IF,
    END,
    ...get('out'), ...lane(0), ...lane(1), F32_ADD, ...lane(2), ...lane(3), F32_ADD, F32_ADD, ...F32_STORE,
    ...addTo('samples', get('step')),
    ...addTo('phase', get('turn')),
    ...get('phase'), ...get('up'), GREATER_OR_EQUAL, ...IF,
      ...get('phase'), ...get('up'), SUB, ...set('phase'),
      ...addTo('samples', i32(4)),
    END,
    ...addTo('out', i32(4)),
    ...get('out'), ...get('end'), LESS_THAN, ...BRANCH_IF,
  END,
  END,
];

/** The used part of the WebAssembly API; Node's types omit it. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly own: { readonly memory: object } },
  ) => { readonly exports: { readonly run: (...given: number[]) => void } };
};

const compiledModule = new WebAssembly.Module(
  Uint8Array.from([
    ...MODULE_HEADER,
    ...section(1, [1, 0x60, ...withLength(PARAMETERS.map(() => I32)), 0]),
    ...section(2, [1, ...encodeName('own'), ...encodeName('memory'), 2, 0, 0]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...encodeName('run'), 0, 0]),
    ...section(10, [1, ...withLength([2, LOCALS.length - 1, I32, 1, V128, ...BODY])]),
  ]),
);

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
  return { memory: memory.buffer, run: (given) => run(...PARAMETERS.map((name) => given[name])) };
}
