import {
  type QueueState,
  roundMs,
  type GcraRule,
  type PersonShare,
  type QueueTurn,
  type Waiter,
} from '../../rate-limits/index.ts';
import {
  type BucketState,
  type Entry,
  entryText,
  shareName,
  shareOf,
  shareText,
  WAITERS,
} from './bucket-item.ts';
import type { ExtraWrite } from './token-buckets.ts';

/** An entry that is not renewed for this long counts as gone: its worker has died. */
const LEASE_MS = 20_000;
/** How long the waits of a person are remembered after their last turn. */
const SHARE_TTL_MS = 30_000;
/** The most that counts of a person's total wait. */
const MAX_WAITED_MS = 120_000;
/**
 * The most entries of one queue, of 60 bytes each. Everyone who waits reads them, and a write costs one unit per KB of the
 * item. 120 questions are sent in the minute that a delivery waits, and an entry that is renewed is there twice for a while.
 */
const MAX_ENTRIES = 300;
/** The most people whose data is removed by one write. */
const MAX_SHARES_REMOVED = 20;

/** The entries whose lease runs. Of a renewed one, the latest. */
export function entriesOf({ waiters }: BucketState, now: number): readonly Entry[] {
  const latest = new Map<string, Entry>();
  for (const { entry } of waiters) {
    if (entry.untilMs > (latest.get(entry.id)?.untilMs ?? now)) latest.set(entry.id, entry);
  }
  return [...latest.values()];
}

export const ownOf = ({ waiters }: BucketState, id: string): readonly string[] =>
  waiters.filter(({ entry }) => entry.id === id).map(({ text }) => text);

/** What counts no more, but is still there: of those who have gone, and of leases that were renewed since. */
export function supersededOf(state: BucketState, now: number): readonly string[] {
  const counts = new Set(entriesOf(state, now));
  return state.waiters.filter(({ entry }) => !counts.has(entry)).map(({ text }) => text);
}

export const expiredOf = ({ waiters }: BucketState, now: number): readonly string[] =>
  waiters.filter(({ entry }) => entry.untilMs <= now).map(({ text }) => text);

/** The virtual time from which a question counts as its person's first. While many wait, it is behind the clock. */
const firstRoundFrom = ({ waiters }: BucketState, now: number): number =>
  Math.min(now, ...waiters.map(({ entry }) => entry.tag));

/** Whether a share still changes the order. One without waits does not, once the person's next question counts as a first. */
const isRemembered = ({ next, waitedMs }: PersonShare, from: number): boolean =>
  next > (waitedMs > 0 ? from - SHARE_TTL_MS : from);

export function queueStateOf(state: BucketState, rule: GcraRule, now: number): QueueState {
  const from = firstRoundFrom(state, now);
  const shares = [...state.shares].map(
    ([name, text]) => [name.slice(shareName('').length), shareOf(text)] as const,
  );
  const remembered = shares.filter(([, share]) => isRemembered(share, from));
  return {
    rule,
    tat: state.tat,
    waiters: entriesOf(state, now),
    shares: new Map(remembered),
    vtime: state.vtime,
  };
}

/** What is stored of a person for a request, and what removes that again. */
export type ShareChange = { readonly along: ExtraWrite; readonly undo?: ExtraWrite | undefined };

/** For a request that counts for nobody's share. */
export const NO_SHARE_CHANGE: ShareChange = { along: {} };

/** For a person who has not asked recently. */
export function firstShare(
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
  return { along: merged(along, late), undo };
}

/** For a person who asks once more. The condition: nobody has changed their share since it was read. */
export function nextShare(person: string, state: BucketState, turn: QueueTurn): ShareChange {
  const before = state.shares.get(shareName(person));
  const { along, undo } = setShare(person, before, { next: turn.next, waitedMs: shareOf(before).waitedMs });
  const unchanged =
    before === undefined
      ? { conditions: ['attribute_not_exists(#share)'] }
      : { conditions: ['#share = :before'], values: { ':before': { S: before } } };
  return { along: merged(along, unchanged, advanceVirtualTime(state, turn)), undo };
}

/** For a person who has waited in the queue. */
export function waitedShare(state: BucketState, turn: QueueTurn, now: number): ShareChange {
  const { waiter, next } = turn;
  const before = state.shares.get(shareName(waiter.person));
  const share = shareOf(before);
  const lately = isRemembered(share, firstRoundFrom(state, now)) ? share.waitedMs : 0;
  const waitedMs = Math.min(MAX_WAITED_MS, lately + Math.max(0, now - waiter.askedMs));
  const { along, undo } = setShare(waiter.person, before, { next, waitedMs });
  return { along: merged(along, advanceVirtualTime(state, turn)), undo };
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
  const names = { '#share': shareName(person) };
  const values = { ':share': { S: shareText(share) } };
  const was = { conditions: ['#share = :share'], names, values };
  return {
    along: { set: ['#share = :share'], names, values },
    undo:
      before === undefined
        ? { ...was, clauses: ['REMOVE #share'] }
        : merged(was, { set: ['#share = :before'], values: { ':before': { S: before } } }),
  };
}

/** A position that is kept until its turn: a turn that is so much farther away than it seemed costs no other write. */
const KEPT_SPARE = 0.25;

/** Until when an entry counts that is written now; `dueMs` is the turn of a position that is kept until then. */
export const leaseUntil = (now: number, dueMs: number | undefined): number =>
  dueMs === undefined || dueMs <= now ? now + LEASE_MS : dueMs + KEPT_SPARE * (dueMs - now) + LEASE_MS;

export const addEntry = (waiter: Waiter, untilMs: number): ExtraWrite => ({
  clauses: ['ADD #waiters :entry'],
  names: { '#waiters': WAITERS },
  values: { ':entry': { SS: [entryText({ ...waiter, untilMs })] } },
});

/** The condition for joining: the queue has fewer entries than the most. */
export const HAS_FREE_ENTRY: ExtraWrite = {
  conditions: ['attribute_not_exists(#waiters) OR size(#waiters) < :most'],
  names: { '#waiters': WAITERS },
  values: { ':most': { N: String(MAX_ENTRIES) } },
};

export const isFull = ({ waiters }: BucketState): boolean => waiters.length >= MAX_ENTRIES;

export const removeEntries = (texts: readonly string[]): ExtraWrite =>
  texts.length === 0
    ? {}
    : {
        clauses: ['DELETE #waiters :gone'],
        names: { '#waiters': WAITERS },
        values: { ':gone': { SS: [...texts] } },
      };

/** Removes entries, and the shares of people that no longer change the order. */
export function removeStale(
  state: BucketState,
  now: number,
  { gone, besides = '' }: { readonly gone: readonly string[]; readonly besides?: string | undefined },
): ExtraWrite {
  const from = firstRoundFrom(state, now);
  const old = [...state.shares].filter(
    ([name, text]) => name !== shareName(besides) && !isRemembered(shareOf(text), from),
  );
  const names = old.slice(0, MAX_SHARES_REMOVED).map(([name], at) => [`#old${at}`, name] as const);
  if (names.length === 0) return removeEntries(gone);
  const remove = {
    clauses: [`REMOVE ${names.map(([one]) => one).join(', ')}`],
    names: Object.fromEntries(names),
  };
  return merged(removeEntries(gone), remove);
}

/** All of these in one write. */
export function merged(...all: readonly ExtraWrite[]): ExtraWrite {
  return {
    conditions: all.flatMap(({ conditions = [] }) => conditions),
    set: all.flatMap(({ set = [] }) => set),
    clauses: all.flatMap(({ clauses = [] }) => clauses),
    names: Object.fromEntries(all.flatMap(({ names = {} }) => Object.entries(names))),
    values: Object.fromEntries(all.flatMap(({ values = {} }) => Object.entries(values))),
  };
}
