import {
  type LearnedLimit,
  NO_SHARE,
  type PersonShare,
  type Waiter,
  type QueueState,
  roundMs,
  type GcraRule,
  type QueueTurn,
} from '../../rate-limits/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { type ExtraWrite, mergeWrites } from '../dynamodb/update-parts.ts';

/** The state of a bucket as a process last saw it. */
export type BucketState = {
  readonly tat: number;
  /** No request before `pausedUntilUs`; `pauseUs` is the length of that pause. */
  readonly pausedUntilUs: number;
  readonly pauseUs: number;
  /** Until then the key counts as shared with other clients (us). */
  readonly sharedUntilUs: number;
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
  pausedUntilUs: 0,
  pauseUs: 0,
  sharedUntilUs: 0,
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
    pausedUntilUs: number('paused'),
    pauseUs: number('pausedby'),
    sharedUntilUs: number('sharedtill'),
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
const serializeShare = ({ next, waitedMs }: PersonShare): string =>
  `${Math.ceil(next)} ${Math.round(waitedMs)}`;

export function parseShare(text: string | undefined): PersonShare {
  const [next = 0, waitedMs = 0] = (text ?? '').split(' ').map(Number);
  return text === undefined ? NO_SHARE : { next, waitedMs };
}

/** A queue entry, valid until `untilMs` (since 1970) unless it is renewed. */
type QueueEntry = Waiter & { readonly untilMs: number };

const RADIX = 36;
const TENTHS = 10;

/** Serializes an entry as a set member. Name and id contain no spaces. */
function serializeEntry({ id, person, tag, requestedAtMs, sinceMs, untilMs, weight }: QueueEntry): string {
  const numbers = [tag, requestedAtMs, sinceMs, untilMs, weight * TENTHS];
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
  const [tag = 0, requestedAtMs = 0, sinceMs = 0, untilMs = 0, weight = TENTHS] = numbers.map((number) =>
    Number.parseInt(number, RADIX),
  );
  return { id, person, tag, requestedAtMs, sinceMs, untilMs, weight: weight / TENTHS };
}

/** An entry that is not renewed for this long has expired: its worker has crashed. */
const LEASE_MS = 20_000;
/** How long the waits of a person are remembered after their last turn. */
const SHARE_TTL_MS = 30_000;
/** The maximum of a person's total wait. */
const MAX_WAITED_MS = 120_000;
/**
 * The maximum number of entries of a queue, of 60 bytes each. Every waiter reads them, and a write costs one
 * unit per KB of the item. 120 questions are sent in the minute that a delivery waits, and a renewed entry
 * exists twice for a while.
 */
const MAX_ENTRIES = 300;
/** The maximum number of people whose data one write removes. */
const MAX_SHARES_REMOVED = 20;

/** Returns the valid entries; for a renewed one, the latest. */
export function listActive({ waiters }: BucketState, now: number): readonly QueueEntry[] {
  const latest = new Map<string, QueueEntry>();
  for (const { entry } of waiters) {
    if (entry.untilMs > (latest.get(entry.id)?.untilMs ?? now)) latest.set(entry.id, entry);
  }
  return [...latest.values()];
}

/** Returns the stored texts of the entries of one waiter. */
export const listEntryTexts = ({ waiters }: BucketState, id: string): readonly string[] =>
  waiters.filter(({ entry }) => entry.id === id).map(({ text }) => text);

/** Returns expired entries, and old versions of renewed entries. */
export function listSuperseded(state: BucketState, now: number): readonly string[] {
  const counts = new Set(listActive(state, now));
  return state.waiters.filter(({ entry }) => !counts.has(entry)).map(({ text }) => text);
}

/** Returns the stored texts of the entries whose lease has expired. */
export const listExpired = ({ waiters }: BucketState, now: number): readonly string[] =>
  waiters.filter(({ entry }) => entry.untilMs <= now).map(({ text }) => text);

/** The virtual time from which a question counts as its person's first. While many wait, it is behind the clock. */
const getFirstRoundStart = ({ waiters }: BucketState, now: number): number =>
  Math.min(now, ...waiters.map(({ entry }) => entry.tag));

/** Whether a share still changes the order. One without waits does not, once the person's next question counts as a first. */
const isRemembered = ({ next, waitedMs }: PersonShare, from: number): boolean =>
  next > (waitedMs > 0 ? from - SHARE_TTL_MS : from);

export function toQueueState(state: BucketState, rule: GcraRule, now: number): QueueState {
  const from = getFirstRoundStart(state, now);
  const shares = [...state.shares].map(
    ([name, text]) => [name.slice(shareAttribute('').length), parseShare(text)] as const,
  );
  const remembered = shares.filter(([, share]) => isRemembered(share, from));
  return {
    rule,
    tat: state.tat,
    waiters: listActive(state, now),
    shares: new Map(remembered),
    vtime: state.vtime,
  };
}

/** What is stored of a person for a request, and what removes that again. */
type ShareChange = { readonly along: ExtraWrite; readonly undo?: ExtraWrite | undefined };

/** For a request that counts for nobody's share. */
export const NO_SHARE_CHANGE: ShareChange = { along: {} };

/** For a person who has not asked recently. */
export function startShare(
  person: string | undefined,
  rule: GcraRule,
  now: number,
  weight: number,
): ShareChange {
  const next = now + roundMs(rule) / weight;
  const { along, undo } = setShare(person ?? '', undefined, { next, waitedMs: 0 });
  const late = {
    conditions: ['attribute_not_exists(#share) OR #share <= :nowText'],
    values: { ':nowText': { S: String(now) } },
  };
  return { along: mergeWrites(along, late), undo };
}

/** For a person who asks once more. The condition: nobody has changed their share since it was read. */
export function nextShare(person: string, state: BucketState, turn: QueueTurn): ShareChange {
  const before = state.shares.get(shareAttribute(person));
  const { along, undo } = setShare(person, before, {
    next: turn.next,
    waitedMs: parseShare(before).waitedMs,
  });
  const unchanged =
    before === undefined
      ? { conditions: ['attribute_not_exists(#share)'] }
      : { conditions: ['#share = :before'], values: { ':before': { S: before } } };
  return { along: mergeWrites(along, unchanged, advanceVirtualTime(state, turn)), undo };
}

/** For a person who has waited in the queue. */
export function continueShare(state: BucketState, turn: QueueTurn, now: number): ShareChange {
  const { waiter, next } = turn;
  const before = state.shares.get(shareAttribute(waiter.person));
  const share = parseShare(before);
  const lately = isRemembered(share, getFirstRoundStart(state, now)) ? share.waitedMs : 0;
  const waitedMs = Math.min(MAX_WAITED_MS, lately + Math.max(0, now - waiter.requestedAtMs));
  const { along, undo } = setShare(waiter.person, before, { next, waitedMs });
  return { along: mergeWrites(along, advanceVirtualTime(state, turn)), undo };
}

/** The virtual time of the queue advances with the questions that are sent. */
const advanceVirtualTime = (state: BucketState, { start }: QueueTurn): ExtraWrite =>
  start <= state.vtime
    ? {}
    : {
        set: ['#vtime = :vtime'],
        names: { '#vtime': 'vtime' },
        values: { ':vtime': { N: String(Math.ceil(start)) } },
      };

function setShare(person: string, before: string | undefined, share: PersonShare): ShareChange {
  const names = { '#share': shareAttribute(person) };
  const values = { ':share': { S: serializeShare(share) } };
  const was = { conditions: ['#share = :share'], names, values };
  return {
    along: { set: ['#share = :share'], names, values },
    undo:
      before === undefined
        ? { ...was, clauses: ['REMOVE #share'] }
        : mergeWrites(was, { set: ['#share = :before'], values: { ':before': { S: before } } }),
  };
}

/** A kept position stays valid if its turn is delayed by up to this share of the wait. */
const KEPT_LEASE_MARGIN = 0.25;

/** Returns when the lease of a new entry ends; `dueMs` is the turn of a kept position. */
export const getLeaseEnd = (now: number, dueMs: number | undefined): number =>
  dueMs === undefined || dueMs <= now ? now + LEASE_MS : dueMs + KEPT_LEASE_MARGIN * (dueMs - now) + LEASE_MS;

export const addEntry = (waiter: Waiter, untilMs: number): ExtraWrite => ({
  clauses: ['ADD #waiters :entry'],
  names: { '#waiters': WAITERS },
  values: { ':entry': { SS: [serializeEntry({ ...waiter, untilMs })] } },
});

/** The condition for joining: the queue is not full. */
export const HAS_FREE_ENTRY: ExtraWrite = {
  conditions: ['attribute_not_exists(#waiters) OR size(#waiters) < :most'],
  names: { '#waiters': WAITERS },
  values: { ':most': { N: String(MAX_ENTRIES) } },
};

/** Whether the wait queue accepts no further entry. */
export const isFull = ({ waiters }: BucketState): boolean => waiters.length >= MAX_ENTRIES;

/** Removes entries; a text may occur twice, which DynamoDB refuses in a set. */
export const removeEntries = (texts: readonly string[]): ExtraWrite =>
  texts.length === 0
    ? {}
    : {
        clauses: ['DELETE #waiters :gone'],
        names: { '#waiters': WAITERS },
        values: { ':gone': { SS: [...new Set(texts)] } },
      };

/** Removes entries, and the shares of people that no longer change the order. */
export function removeStale(
  state: BucketState,
  now: number,
  { gone, besides = '' }: { readonly gone: readonly string[]; readonly besides?: string | undefined },
): ExtraWrite {
  const from = getFirstRoundStart(state, now);
  const old = [...state.shares].filter(
    ([name, text]) => name !== shareAttribute(besides) && !isRemembered(parseShare(text), from),
  );
  const names = old.slice(0, MAX_SHARES_REMOVED).map(([name], at) => [`#old${at}`, name] as const);
  if (names.length === 0) return removeEntries(gone);
  const remove = {
    clauses: [`REMOVE ${names.map(([one]) => one).join(', ')}`],
    names: Object.fromEntries(names),
  };
  return mergeWrites(removeEntries(gone), remove);
}
