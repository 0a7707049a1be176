import * as v from 'valibot';

/** A division of all guilds into so many shards. Its number goes up with every other division. */
export type Generation = { readonly number: number; readonly count: number };

/** One shard of a division: what Discord calls `[id, count]`. */
export type ShardRef = { readonly generation: number; readonly id: number; readonly count: number };

const generation = v.object({ number: v.number(), count: v.number() });
const lease = v.object({ owner: v.string(), until: v.number(), ready: v.boolean() });
const plan = v.object({
  current: generation,
  /** The division that `current` is to be replaced by, once all of its shards stand. `stranded`: Discord lets `current` no longer connect. */
  next: v.optional(v.object({ ...generation.entries, stranded: v.optional(v.boolean()) })),
  /** The division that `current` has replaced. */
  previous: v.optional(generation),
  /** By `getKey`: which process runs a shard, until when (ms since 1970) that holds without its doing, and whether the shard stands. */
  leases: v.record(v.string(), lease),
  /** The processes that there are, each with until when it counts as one. */
  members: v.record(v.string(), v.number()),
  /** Since when Discord recommends fewer shards. */
  fewerSince: v.optional(v.number()),
});

/** Which shards there are, and which process runs each. What all processes share, as one text. */
export type Plan = v.InferOutput<typeof plan>;

/** Undefined for what is no plan. */
export function readPlan(text: string): Plan | undefined {
  try {
    const { success, output } = v.safeParse(plan, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

/** The first division is the one that there was before there were others: a single shard. */
export const FIRST: Plan = { current: { number: 0, count: 1 }, leases: {}, members: {} };

/** Under which a shard writes down how far it got; the first division has the name that there was before there were others. */
export const shelfNameOf = ({ generation: of, id }: ShardRef): string =>
  of === 0 ? '' : keyOf({ generation: of, id });

export const keyOf = ({ generation: of, id }: Pick<ShardRef, 'generation' | 'id'>): string => `${of}/${id}`;

export const shardsOf = ({ number, count }: Generation): ShardRef[] =>
  Array.from({ length: count }, (_, id) => ({ generation: number, id, count }));

/** The shard that a guild is on; what is in no guild is on the first. See docs:events/gateway#sharding. */
export const shardOf = (guild: string | undefined, count: number): number =>
  guild === undefined ? 0 : Number((BigInt(guild) >> 22n) % BigInt(count));

/** So long Discord has to recommend fewer shards before there are fewer: the number of guilds goes up and down around a limit. */
const FEWER_AFTER_MS = 24 * 3_600_000;

/**
 * The plan once Discord recommends `count` shards: as many as soon as it is more, or after a day if it is fewer. What runs goes
 * on running until those of the next division stand. `stranded`: the current one cannot run any more, so it is replaced at once.
 */
export function recommended(of: Plan, count: number, now: number, stranded = false): Plan {
  const { fewerSince, next, ...rest } = of;
  const following = { number: Math.max(of.current.number, next?.number ?? 0) + 1, count };
  const aim = next?.count ?? of.current.count;
  if (stranded) {
    if (count === of.current.count) return of;
    return { ...rest, next: { ...(next?.count === count ? next : following), stranded: true } };
  }
  if (count > aim) return { ...rest, next: following };
  if (count === aim || next) return next ? { ...rest, next } : rest;
  const since = fewerSince ?? now;
  return now - since >= FEWER_AFTER_MS ? { ...rest, next: following } : { ...rest, fewerSince: since };
}

/** One process, as it takes part. */
export type Member = {
  readonly name: string;
  /** There is no other: whatever another has left is taken over at once. */
  readonly alone: boolean;
  /** Which shards it runs, by `getKey`, and which of them stand. */
  readonly running: ReadonlySet<string>;
  readonly ready: ReadonlySet<string>;
};

/** How long a process that is not heard of counts as one, in ms. */
export const LEASE_MS = 30_000;

export type Share = {
  readonly plan: Plan;
  /** What this process is to run once the plan is written down: begun, or gone on with. */
  readonly mine: readonly ShardRef[];
  /** Of these, what it is to end, for a process that has less. Its lease stays until it has ended. */
  readonly spare: ReadonlySet<string>;
};

/**
 * Renews what a process has, gives it its share of what nobody runs, and replaces the current division once all shards of the
 * next one stand. Shards are shared evenly among the processes that are heard of.
 */
export function takeShare(given: Plan, { name, alone, running, ready }: Member, now: number): Share {
  const members = { ...living(alone ? {} : given.members, now), [name]: now + LEASE_MS };
  const held = new Map(
    Object.entries(given.leases).filter(([key, { owner, until }]) =>
      owner === name ? running.has(key) : !alone && until > now,
    ),
  );
  for (const key of running)
    if (held.get(key)?.owner === name || !held.has(key))
      held.set(key, { owner: name, until: now + LEASE_MS, ready: ready.has(key) });
  const of = promoted(given, held);
  const refs = [...(of.next?.stranded ? [] : shardsOf(of.current)), ...(of.next ? shardsOf(of.next) : [])];
  const leases = Object.fromEntries(refs.flatMap((ref) => entry(held, keyOf(ref))));
  const counts = countsOf(leases, Object.keys(members));
  for (const ref of refs) {
    if (leases[keyOf(ref)]) continue;
    const has = counts.get(name) ?? 0;
    // Whoever has fewer takes it.
    if (has > Math.min(...counts.values())) break;
    leases[keyOf(ref)] = { owner: name, until: now + LEASE_MS, ready: false };
    counts.set(name, has + 1);
  }
  const mine = refs.filter((ref) => leases[keyOf(ref)]?.owner === name);
  const spare = new Set(mine.toReversed().slice(0, surplus(counts, name)).map(keyOf));
  return { plan: { ...of, leases, members }, mine, spare };
}

/** The plan without a process that ends. */
export function left({ leases, members, ...rest }: Plan, name: string): Plan {
  const others = ([who]: readonly [string, number]): boolean => who !== name;
  return {
    ...rest,
    leases: Object.fromEntries(Object.entries(leases).filter(([, { owner }]) => owner !== name)),
    members: Object.fromEntries(Object.entries(members).filter(others)),
  };
}

type Leases = ReadonlyMap<string, Plan['leases'][string]>;

const living = (members: Plan['members'], now: number): Plan['members'] =>
  Object.fromEntries(Object.entries(members).filter(([, until]) => until > now));

const entry = (held: Leases, key: string): [string, Plan['leases'][string]][] => {
  const found = held.get(key);
  return found ? [[key, found]] : [];
};

function promoted({ next, ...rest }: Plan, held: Leases): Plan {
  if (!next) return rest;
  if (!shardsOf(next).every((ref) => held.get(keyOf(ref))?.ready)) return { ...rest, next };
  const { number, count } = next;
  return { ...rest, previous: rest.current, current: { number, count } };
}

function countsOf(leases: Plan['leases'], members: readonly string[]): Map<string, number> {
  const counts = new Map(members.map((who) => [who, 0]));
  for (const { owner } of Object.values(leases)) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}

/** How many of its shards a process gives up so that none has two more than another: whoever has most gives to whoever has least. */
function surplus(counts: ReadonlyMap<string, number>, name: string): number {
  const even = new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  for (let given = 0; ;) {
    const [most, many] = [...even].reduce((best, one) => (one[1] > best[1] ? one : best));
    const [least, few] = [...even].reduce((best, one) => (one[1] < best[1] ? one : best));
    if (many - few < 2) return given;
    even.set(most, many - 1);
    even.set(least, few + 1);
    if (most === name) given += 1;
  }
}
