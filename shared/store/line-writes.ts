import { type Line, roundMs, type Rule, type Share, type Turn, type Waiter } from '../limits/index.ts';
import {
  type BucketState,
  type Entry,
  entryText,
  shareName,
  shareOf,
  shareText,
  WAITERS,
} from './bucket-item.ts';
import type { Along } from './buckets.ts';

/** Somebody who waits and is not heard of for so long counts as gone. */
const LEASE_MS = 20_000;
/** What was remembered of somebody is forgotten so long after it last mattered. */
const SHARE_KEPT_MS = 30_000;
/** Of what somebody has waited, no more than this counts. */
const MAX_WAITED_MS = 120_000;
/**
 * So many entries the line has at most, of 60 bytes each: it is read by each who waits, and a write costs a unit for each
 * KB. More than come to their turn within the minute that a delivery waits: 120, each entered twice while it is renewed.
 */
const MAX_ENTRIES = 300;
/** So much is forgotten along with one write. */
const MAX_FORGOTTEN = 20;

/** Those who wait and are still there. Of one who said so again, what was said last. */
export function entriesOf({ waiters }: BucketState, now: number): readonly Entry[] {
  const latest = new Map<string, Entry>();
  for (const { entry } of waiters) {
    if (entry.untilMs > (latest.get(entry.id)?.untilMs ?? now)) latest.set(entry.id, entry);
  }
  return [...latest.values()];
}

export const ownOf = ({ waiters }: BucketState, id: string): readonly string[] =>
  waiters.filter(({ entry }) => entry.id === id).map(({ text }) => text);

export const expiredOf = ({ waiters }: BucketState, now: number): readonly string[] =>
  waiters.filter(({ entry }) => entry.untilMs <= now).map(({ text }) => text);

/** The virtual time from which on a question counts as somebody's first one: while many wait, that is behind the clock. */
const firstFrom = ({ waiters }: BucketState, now: number): number =>
  Math.min(now, ...waiters.map(({ entry }) => entry.tag));

/** Whether it still matters: how long somebody has waited does for a while, without that only when their next turn is. */
const stillMatters = ({ next, waitedMs }: Share, from: number): boolean =>
  next > (waitedMs > 0 ? from - SHARE_KEPT_MS : from);

export function lineOf(state: BucketState, rule: Rule, now: number): Line {
  const from = firstFrom(state, now);
  const shares = [...state.shares].map(
    ([name, text]) => [name.slice(shareName('').length), shareOf(text)] as const,
  );
  const remembered = shares.filter(([, share]) => stillMatters(share, from));
  return {
    rule,
    tat: state.tat,
    waiters: entriesOf(state, now),
    shares: new Map(remembered),
    vtime: state.vtime,
  };
}

/** What is remembered of a person for a request, and what takes that back. */
export type ShareChange = { readonly along: Along; readonly undo?: Along | undefined };

/** Of a request that counts for nobody's share. */
export const NO_SHARE_CHANGED: ShareChange = { along: {} };

/** Whoever has not asked of late: what is remembered of them begins. */
export function firstShare(person: string | undefined, rule: Rule, now: number, weight: number): ShareChange {
  const next = now + roundMs(rule) / weight;
  const { along, undo } = changing(person ?? '', undefined, { next, waitedMs: 0 });
  const late = {
    conditions: ['attribute_not_exists(#share) OR #share <= :nowText'],
    values: { ':nowText': { S: String(now) } },
  };
  return { along: joined(along, late), undo };
}

/** The next share of somebody who asks once more, if nobody has changed it since it was read. */
export function nextShare(person: string, state: BucketState, turn: Turn): ShareChange {
  const before = state.shares.get(shareName(person));
  const { along, undo } = changing(person, before, { next: turn.next, waitedMs: shareOf(before).waitedMs });
  const unchanged =
    before === undefined
      ? { conditions: ['attribute_not_exists(#share)'] }
      : { conditions: ['#share = :before'], values: { ':before': { S: before } } };
  return { along: joined(along, unchanged, advancing(state, turn)), undo };
}

/** The share of somebody who has stood in line. */
export function waitedShare(state: BucketState, turn: Turn, now: number): ShareChange {
  const { waiter, next } = turn;
  const before = state.shares.get(shareName(waiter.person));
  const share = shareOf(before);
  const lately = stillMatters(share, firstFrom(state, now)) ? share.waitedMs : 0;
  const waitedMs = Math.min(MAX_WAITED_MS, lately + Math.max(0, now - waiter.askedMs));
  const { along, undo } = changing(waiter.person, before, { next, waitedMs });
  return { along: joined(along, advancing(state, turn)), undo };
}

/** The virtual time goes on with the questions that are sent. */
const advancing = (state: BucketState, { start }: Turn): Along =>
  start <= state.vtime
    ? {}
    : {
        set: ['#vtime = :vtime'],
        names: { '#vtime': 'vtime' },
        values: { ':vtime': { N: String(Math.ceil(start)) } },
      };

function changing(person: string, before: string | undefined, share: Share): ShareChange {
  const names = { '#share': shareName(person) };
  const values = { ':share': { S: shareText(share) } };
  const was = { conditions: ['#share = :share'], names, values };
  return {
    along: { set: ['#share = :share'], names, values },
    undo:
      before === undefined
        ? { ...was, clauses: ['REMOVE #share'] }
        : joined(was, { set: ['#share = :before'], values: { ':before': { S: before } } }),
  };
}

export const entering = (waiter: Waiter, now: number): Along => ({
  clauses: ['ADD #waiters :entry'],
  names: { '#waiters': WAITERS },
  values: { ':entry': { SS: [entryText({ ...waiter, untilMs: now + LEASE_MS })] } },
});

/** Nobody joins a line that is as long as it may be. */
export const ROOM_FOR_ONE: Along = {
  conditions: ['attribute_not_exists(#waiters) OR size(#waiters) < :most'],
  names: { '#waiters': WAITERS },
  values: { ':most': { N: String(MAX_ENTRIES) } },
};

export const isFull = ({ waiters }: BucketState): boolean => waiters.length >= MAX_ENTRIES;

export const leaving = (texts: readonly string[]): Along =>
  texts.length === 0
    ? {}
    : {
        clauses: ['DELETE #waiters :gone'],
        names: { '#waiters': WAITERS },
        values: { ':gone': { SS: [...texts] } },
      };

/** What is forgotten along with a take: those who are gone, and what was remembered of others who have not asked for long. */
export function forgetting(
  state: BucketState,
  now: number,
  { gone, besides = '' }: { readonly gone: readonly string[]; readonly besides?: string | undefined },
): Along {
  const from = firstFrom(state, now);
  const old = [...state.shares].filter(
    ([name, text]) => name !== shareName(besides) && !stillMatters(shareOf(text), from),
  );
  const names = old.slice(0, MAX_FORGOTTEN).map(([name], at) => [`#old${at}`, name] as const);
  if (names.length === 0) return leaving(gone);
  const remove = {
    clauses: [`REMOVE ${names.map(([one]) => one).join(', ')}`],
    names: Object.fromEntries(names),
  };
  return joined(leaving(gone), remove);
}

/** All of these along with one write. */
export function joined(...all: readonly Along[]): Along {
  return {
    conditions: all.flatMap(({ conditions = [] }) => conditions),
    set: all.flatMap(({ set = [] }) => set),
    clauses: all.flatMap(({ clauses = [] }) => clauses),
    names: Object.fromEntries(all.flatMap(({ names = {} }) => Object.entries(names))),
    values: Object.fromEntries(all.flatMap(({ values = {} }) => Object.entries(values))),
  };
}
