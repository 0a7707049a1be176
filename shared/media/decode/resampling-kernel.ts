/**
 * The inner loop of resampling, in WebAssembly: it multiplies four numbers at once, which JavaScript can't, and most
 * recordings spend most of their time here. Written out by hand, since it is all there is of it; the names are those of the
 * WebAssembly Core Specification 2.0, chapter 5.
 */

/** That this is a module, of version 1. */
const BEGIN = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const I32 = 0x7f;
const V128 = 0x7b;
const NOTHING = 0x40;

/** A number below 16,384, as all numbers are written: seven bits to a byte, the lowest first. */
const number = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
const sized = (bytes: readonly number[]): number[] => [...number(bytes.length), ...bytes];
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)];
const name = (text: string): number[] => sized([...new TextEncoder().encode(text)]);

/** What the loop is given, in this order; then what it keeps for itself. Places are in bytes. */
const GIVEN = ['samples', 'filters', 'out', 'end', 'width', 'up', 'step', 'turn', 'phase'] as const;
const KEPT = ['sample', 'tap', 'last', 'sum'] as const;
type Local = (typeof GIVEN)[number] | (typeof KEPT)[number];
const local = (which: Local): number => [...GIVEN, ...KEPT].indexOf(which);

const get = (which: Local): number[] => [0x20, local(which)];
const set = (which: Local): number[] => [0x21, local(which)];
const i32 = (value: number): number[] => [0x41, value];
const ADD = 0x6a;
const SUB = 0x6b;
const MUL = 0x6c;
const BELOW = 0x49;
const NOT_BELOW = 0x4f;
const LOOP = [0x03, NOTHING];
const IF = [0x04, NOTHING];
const END = 0x0b;
const AGAIN_IF = [0x0d, 0];
const F32_STORE = [0x38, 2, 0];
const F32_ADD = 0x92;
const LOAD4 = [0xfd, 0x00, 2, 0];
const ZERO4 = [0xfd, 0x0c, ...Array<number>(16).fill(0)];
const MUL4 = [0xfd, ...number(0xe6)];
const ADD4 = [0xfd, ...number(0xe4)];
const lane = (which: number): number[] => [...get('sum'), 0xfd, 0x1f, which];
const add = (which: Local, what: readonly number[]): number[] => [...get(which), ...what, ADD, ...set(which)];

// prettier-ignore
const BODY = [
  ...LOOP,
    ...get('filters'), ...get('phase'), ...get('width'), MUL, ADD, ...set('tap'),
    ...get('tap'), ...get('width'), ADD, ...set('last'),
    ...get('samples'), ...set('sample'),
    ...ZERO4, ...set('sum'),
    ...LOOP,
      ...get('sample'), ...LOAD4, ...get('tap'), ...LOAD4, ...MUL4, ...get('sum'), ...ADD4, ...set('sum'),
      ...add('sample', i32(16)),
      ...add('tap', i32(16)),
      ...get('tap'), ...get('last'), BELOW, ...AGAIN_IF,
    END,
    ...get('out'), ...lane(0), ...lane(1), F32_ADD, ...lane(2), ...lane(3), F32_ADD, F32_ADD, ...F32_STORE,
    ...add('samples', get('step')),
    ...add('phase', get('turn')),
    ...get('phase'), ...get('up'), NOT_BELOW, ...IF,
      ...get('phase'), ...get('up'), SUB, ...set('phase'),
      ...add('samples', i32(4)),
    END,
    ...add('out', i32(4)),
    ...get('out'), ...get('end'), BELOW, ...AGAIN_IF,
  END,
  END,
];

/** As far as it is used here; the types of Node leave it out. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly own: { readonly memory: object } },
  ) => { readonly exports: { readonly run: (...given: number[]) => void } };
};

const loop = new WebAssembly.Module(
  Uint8Array.from([
    ...BEGIN,
    ...section(1, [1, 0x60, ...sized(GIVEN.map(() => I32)), 0]),
    ...section(2, [1, ...name('own'), ...name('memory'), 2, 0, 0]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('run'), 0, 0]),
    ...section(10, [1, ...sized([2, KEPT.length - 1, I32, 1, V128, ...BODY])]),
  ]),
);

const PAGE = 65_536;

/** What the loop is to do; places and lengths are in bytes of its memory. */
export type Run = { readonly [which in (typeof GIVEN)[number]]: number };

export type Kernel = {
  /** In which samples, filters and what comes out lie: numbers of 32 bits, wherever whoever runs the loop puts them. */
  readonly memory: ArrayBuffer;
  /**
   * From `out` to `end`, one number at least: each is the sum of the samples times one filter of `width`, a multiple of 16. For
   * the next one, the filter is `turn` further, and the samples `step`; past the last filter (`up`) it is the first
   * again, and the samples one more. Traps, which throws, at places beyond the memory.
   */
  readonly run: (run: Run) => void;
};

export function kernel(bytes: number): Kernel {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  const { run } = new WebAssembly.Instance(loop, { own: { memory } }).exports;
  return { memory: memory.buffer, run: (given) => run(...GIVEN.map((which) => given[which])) };
}
