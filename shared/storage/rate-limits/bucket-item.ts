import { type LearnedLimit, NO_SHARE, type PersonShare, type Waiter } from '../../rate-limits/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';

/** The state of a bucket as a process last saw it. */
export type BucketState = {
  readonly tat: number;
  /** No request before `paused` (us); `pausedBy` is the length of that pause. */
  readonly paused: number;
  readonly pausedBy: number;
  /** Until then the key counts as shared with other clients (us). */
  readonly shared: number;
  readonly learned?: LearnedLimit | undefined;
  /** The queue entries, each with its stored text. */
  readonly waiters: readonly { readonly entry: QueueEntry; readonly text: string }[];
  /** The shares of people by attribute name: see `parseShare`. */
  readonly shares: ReadonlyMap<string, string>;
  /** The virtual time of the queue: see `shared/rate-limits/fair-queue.ts`. */
  readonly vtime: number;
  /** When it was read (ms since 1970). */
  readonly asOfMs: number;
};

export const EMPTY_BUCKET: BucketState = {
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

const SHARE_PREFIX = 'p_';
/** The attribute with the queue entries: a set of strings, absent when empty. */
export const WAITERS = 'waiters';

export function readBucketState(item: Item, asOfMs: number): BucketState {
  const number = (name: string): number => Number(item?.[name]?.N ?? 0);
  const learned = item?.['learned'] && { share: number('learned') / 1e6, atMs: number('learnedat') };
  const shares = Object.entries(item ?? {}).flatMap(([name, { S }]) =>
    name.startsWith(SHARE_PREFIX) && S !== undefined ? [[name, S] as const] : [],
  );
  return {
    tat: number('tat'),
    paused: number('paused'),
    pausedBy: number('pausedby'),
    shared: number('sharedtill'),
    learned,
    waiters: (item?.[WAITERS]?.SS ?? []).map((text) => ({ entry: cachedEntry(text), text })),
    shares: new Map(shares),
    vtime: number('vtime'),
    asOfMs,
  };
}

/** Returns the attribute of a person, given the hash of their name. */
export const shareAttribute = (person: string): string => `${SHARE_PREFIX}${person}`;

/**
 * Serializes a share as text that sorts by its first number: a share whose time has not come is greater than
 * the current time as text.
 */
export const serializeShare = ({ next, waitedMs }: PersonShare): string =>
  `${Math.ceil(next)} ${Math.round(waitedMs)}`;

export function parseShare(text: string | undefined): PersonShare {
  const [next = 0, waitedMs = 0] = (text ?? '').split(' ').map(Number);
  return text === undefined ? NO_SHARE : { next, waitedMs };
}

/** A queue entry, valid until `deadlineMs` unless it is renewed (ms since 1970). */
export type QueueEntry = Waiter & { readonly untilMs: number };

const RADIX = 36;
const TENTHS = 10;

/** Serializes an entry as a set member. Name and id contain no spaces. */
export function serializeEntry({ id, person, tag, askedMs, sinceMs, untilMs, weight }: QueueEntry): string {
  const numbers = [tag, askedMs, sinceMs, untilMs, weight * TENTHS];
  return [id, person, ...numbers.map((number) => Math.round(number).toString(RADIX))].join(' ');
}

/** Cached, because every waiter reads the same entries again and again. */
const entryCache = new Map<string, QueueEntry>();
const MAX_CACHED_ENTRIES = 2_000;

function cachedEntry(text: string): QueueEntry {
  const known = entryCache.get(text);
  if (known) return known;
  if (entryCache.size >= MAX_CACHED_ENTRIES) entryCache.clear();
  const entry = parseEntry(text);
  entryCache.set(text, entry);
  return entry;
}

function parseEntry(text: string): QueueEntry {
  const [id = '', person = '', ...numbers] = text.split(' ');
  const [tag = 0, askedMs = 0, sinceMs = 0, untilMs = 0, weight = TENTHS] = numbers.map((number) =>
    Number.parseInt(number, RADIX),
  );
  return { id, person, tag, askedMs, sinceMs, untilMs, weight: weight / TENTHS };
}
