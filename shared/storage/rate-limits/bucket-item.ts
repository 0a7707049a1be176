import { type LearnedLimit, NO_SHARE, type PersonShare, type Waiter } from '../../rate-limits/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';

/** A bucket's item as a process last saw it. */
export type BucketState = {
  readonly tat: number;
  /** Nothing is sent before this (us), which was so long. */
  readonly paused: number;
  readonly pausedBy: number;
  /** Until then the key counts as used elsewhere too (us). */
  readonly shared: number;
  readonly learned?: LearnedLimit | undefined;
  /** Who waits, and each as the item has them. */
  readonly waiters: readonly { readonly entry: Entry; readonly text: string }[];
  /** What is remembered of people, by their attributes: see `shareOf`. */
  readonly shares: ReadonlyMap<string, string>;
  /** The virtual time of the line: see `shared/rate-limits/fair-queue.ts`. */
  readonly vtime: number;
  /** When it was asked for (ms since 1970). */
  readonly asOfMs: number;
};

export const NOTHING: BucketState = {
  tat: 0,
  paused: 0,
  pausedBy: 0,
  shared: 0,
  waiters: [],
  shares: new Map(),
  vtime: 0,
  asOfMs: -Infinity,
};

type Item = Awaited<ReturnType<Dynamo['get']>>['Item'];

const PERSON = 'p_';
/** The attribute that holds who waits: a set of strings, which is not there when it is empty. */
export const WAITERS = 'waiters';

export function stateOf(item: Item, asOfMs: number): BucketState {
  const number = (name: string): number => Number(item?.[name]?.N ?? 0);
  const learned = item?.['learned'] && { share: number('learned') / 1e6, atMs: number('learnedat') };
  const shares = Object.entries(item ?? {}).flatMap(([name, { S }]) =>
    name.startsWith(PERSON) && S !== undefined ? [[name, S] as const] : [],
  );
  return {
    tat: number('tat'),
    paused: number('paused'),
    pausedBy: number('pausedby'),
    shared: number('sharedtill'),
    learned,
    waiters: (item?.[WAITERS]?.SS ?? []).map((text) => ({ entry: entryOf(text), text })),
    shares: new Map(shares),
    vtime: number('vtime'),
    asOfMs,
  };
}

/** The attribute of somebody of this short name. */
export const shareName = (person: string): string => `${PERSON}${person}`;

/** As text that is ordered by the first of its numbers: whose time has not come is greater than a later moment. */
export const shareText = ({ next, waitedMs }: PersonShare): string =>
  `${Math.ceil(next)} ${Math.round(waitedMs)}`;

export function shareOf(text: string | undefined): PersonShare {
  const [next = 0, waitedMs = 0] = (text ?? '').split(' ').map(Number);
  return text === undefined ? NO_SHARE : { next, waitedMs };
}

/** Somebody who waits, and until when that counts unless it is said again (ms since 1970). */
export type Entry = Waiter & { readonly untilMs: number };

const RADIX = 36;
const TENTHS = 10;

/** As one member of the set. The person's name and the id hold no blanks. */
export function entryText({ id, person, tag, askedMs, sinceMs, untilMs, weight }: Entry): string {
  const numbers = [tag, askedMs, sinceMs, untilMs, weight * TENTHS];
  return [id, person, ...numbers.map((number) => Math.round(number).toString(RADIX))].join(' ');
}

/** The same members are read again and again, by each who waits. */
const parsed = new Map<string, Entry>();
const MAX_PARSED = 2_000;

function entryOf(text: string): Entry {
  const known = parsed.get(text);
  if (known) return known;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const entry = parseEntry(text);
  parsed.set(text, entry);
  return entry;
}

function parseEntry(text: string): Entry {
  const [id = '', person = '', ...numbers] = text.split(' ');
  const [tag = 0, askedMs = 0, sinceMs = 0, untilMs = 0, weight = TENTHS] = numbers.map((number) =>
    Number.parseInt(number, RADIX),
  );
  return { id, person, tag, askedMs, sinceMs, untilMs, weight: weight / TENTHS };
}
