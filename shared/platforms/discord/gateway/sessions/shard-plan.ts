import * as v from 'valibot';

/** A division of all guilds into `count` shards. Each new division has the next `number`. */
export type Generation = { readonly number: number; readonly count: number };

/** One shard of a generation: Discord's `[id, count]`. */
export type ShardRef = { readonly generation: number; readonly id: number; readonly count: number };

const generation = v.object({ number: v.number(), count: v.number() });
const lease = v.object({ owner: v.string(), until: v.number(), ready: v.boolean() });
const plan = v.object({
  current: generation,
  /** The generation that replaces `current` once all of its shards are ready. `stranded`: Discord no longer lets `current` connect. */
  next: v.optional(v.object({ ...generation.entries, stranded: v.optional(v.boolean()) })),
  /** The generation that `current` has replaced. */
  previous: v.optional(generation),
  /** By `shardKey`: the process that runs a shard, the end of its lease (ms since 1970), and whether the shard is ready. */
  leases: v.record(v.string(), lease),
  /** The processes, each with the end of its lease (ms since 1970). */
  members: v.record(v.string(), v.number()),
  /** Since when Discord recommends fewer shards. */
  fewerSince: v.optional(v.number()),
});

/** The shards and the process that runs each. All processes share it, stored as one text. */
export type Plan = v.InferOutput<typeof plan>;

/** Parses a stored plan; undefined if it is invalid. */
export function readPlan(text: string): Plan | undefined {
  try {
    const { success, output } = v.safeParse(plan, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

/** The initial plan: a single shard. */
export const INITIAL_PLAN: Plan = { current: { number: 0, count: 1 }, leases: {}, members: {} };

/** The name under which the state of a shard is stored; empty for the first generation, as in versions without plans. */
export const getStoreName = ({ generation: of, id }: ShardRef): string =>
  of === 0 ? '' : shardKey({ generation: of, id });

export const shardKey = ({ generation: of, id }: Pick<ShardRef, 'generation' | 'id'>): string =>
  `${of}/${id}`;

/** Lists all shards of a generation. */
export const listShards = ({ number, count }: Generation): ShardRef[] =>
  Array.from({ length: count }, (_, id) => ({ generation: number, id, count }));

/** The shard of a guild; DMs are on the first. See docs:events/gateway#sharding. */
export const getShard = (guild: string | undefined, count: number): number =>
  guild === undefined ? 0 : Number((BigInt(guild) >> 22n) % BigInt(count));

/** How long Discord has to recommend fewer shards before the plan changes, since the number of guilds varies around a limit. */
const FEWER_SHARDS_DELAY_MS = 24 * 3_600_000;

/**
 * The plan after Discord recommends `count` shards: more shards at once, fewer after a day. The current shards run until those of the next
 * generation are ready. `stranded`: the current generation cannot run any more, so it is replaced at once.
 */
export function withShardCount(of: Plan, count: number, now: number, stranded = false): Plan {
  const { fewerSince, next, ...rest } = of;
  const nextGeneration = { number: Math.max(of.current.number, next?.number ?? 0) + 1, count };
  const plannedCount = next?.count ?? of.current.count;
  if (stranded) {
    if (count === of.current.count) return of;
    return { ...rest, next: { ...(next?.count === count ? next : nextGeneration), stranded: true } };
  }
  if (count > plannedCount) return { ...rest, next: nextGeneration };
  if (count === plannedCount || next) return next ? { ...rest, next } : rest;
  const since = fewerSince ?? now;
  return now - since >= FEWER_SHARDS_DELAY_MS
    ? { ...rest, next: nextGeneration }
    : { ...rest, fewerSince: since };
}

/** A process that shares the shards. */
export type Member = {
  readonly name: string;
  /** There is no other process, so leases of former ones are taken over at once. */
  readonly isAlone: boolean;
  /** The keys of the shards that it runs, and of those that are ready. */
  readonly running: ReadonlySet<string>;
  readonly ready: ReadonlySet<string>;
};

/** The lease of a process and its shards, in ms. */
export const LEASE_MS = 30_000;

export type Share = {
  readonly plan: Plan;
  /** The shards that this process runs once the plan is saved. */
  readonly mine: readonly ShardRef[];
  /** Those of them that it ends, to give them to a process with fewer. The lease stays until a shard has ended. */
  readonly surplus: ReadonlySet<string>;
};

/**
 * Renews the leases of a process, gives it its share of the shards without a process, and replaces the current generation once all shards of
 * the next one are ready. Shards are distributed evenly among the processes with a valid lease.
 */
export function takeShare(basePlan: Plan, { name, isAlone, running, ready }: Member, now: number): Share {
  const members = { ...activeMembers(isAlone ? {} : basePlan.members, now), [name]: now + LEASE_MS };
  const heldLeases = new Map(
    Object.entries(basePlan.leases).filter(([key, { owner, until }]) =>
      owner === name ? running.has(key) : !isAlone && until > now,
    ),
  );
  for (const key of running)
    if (heldLeases.get(key)?.owner === name || !heldLeases.has(key))
      heldLeases.set(key, { owner: name, until: now + LEASE_MS, ready: ready.has(key) });
  const of = promoteNext(basePlan, heldLeases);
  const refs = [
    ...(of.next?.stranded ? [] : listShards(of.current)),
    ...(of.next ? listShards(of.next) : []),
  ];
  const leases = Object.fromEntries(refs.flatMap((ref) => leaseEntry(heldLeases, shardKey(ref))));
  const counts = countShards(leases, Object.keys(members));
  for (const ref of refs) {
    if (leases[shardKey(ref)]) continue;
    const has = counts.get(name) ?? 0;
    // A process with fewer shards takes it.
    if (has > Math.min(...counts.values())) break;
    leases[shardKey(ref)] = { owner: name, until: now + LEASE_MS, ready: false };
    counts.set(name, has + 1);
  }
  const mine = refs.filter((ref) => leases[shardKey(ref)]?.owner === name);
  const surplus = new Set(mine.toReversed().slice(0, countSurplus(counts, name)).map(shardKey));
  return { plan: { ...of, leases, members }, mine, surplus };
}

/** Removes a process that ends from the plan. */
export function removeMember({ leases, members, ...rest }: Plan, name: string): Plan {
  const isOtherMember = ([member]: readonly [string, number]): boolean => member !== name;
  return {
    ...rest,
    leases: Object.fromEntries(Object.entries(leases).filter(([, { owner }]) => owner !== name)),
    members: Object.fromEntries(Object.entries(members).filter(isOtherMember)),
  };
}

type Leases = ReadonlyMap<string, Plan['leases'][string]>;

const activeMembers = (members: Plan['members'], now: number): Plan['members'] =>
  Object.fromEntries(Object.entries(members).filter(([, until]) => until > now));

const leaseEntry = (heldLeases: Leases, key: string): [string, Plan['leases'][string]][] => {
  const heldLease = heldLeases.get(key);
  return heldLease ? [[key, heldLease]] : [];
};

function promoteNext({ next, ...rest }: Plan, heldLeases: Leases): Plan {
  if (!next) return rest;
  if (!listShards(next).every((ref) => heldLeases.get(shardKey(ref))?.ready)) return { ...rest, next };
  const { number, count } = next;
  return { ...rest, previous: rest.current, current: { number, count } };
}

function countShards(leases: Plan['leases'], members: readonly string[]): Map<string, number> {
  const counts = new Map(members.map((member) => [member, 0]));
  for (const { owner } of Object.values(leases)) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}

/** How many shards a process gives up so that no process has two more than another: the one with the most gives to the one with the fewest. */
function countSurplus(counts: ReadonlyMap<string, number>, name: string): number {
  const even = new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  for (let count = 0; ;) {
    const [busiest, many] = [...even].reduce((best, one) => (one[1] > best[1] ? one : best));
    const [least, few] = [...even].reduce((best, one) => (one[1] < best[1] ? one : best));
    if (many - few < 2) return count;
    even.set(busiest, many - 1);
    even.set(least, few + 1);
    if (busiest === name) count += 1;
  }
}
