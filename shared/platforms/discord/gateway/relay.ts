import { SerialQueue } from '../../../utils/serial-queue.ts';
import { FATAL } from './profile.ts';
import { UnaddressedFilter } from './events/unaddressed-filter.ts';
import { identifyGate, RESERVED_SESSIONS } from './sessions/identify-limiter.ts';
import { inherit } from './sessions/inherit-session.ts';
import { HeartbeatMonitor } from './sessions/heartbeat-monitor.ts';
import { retryOptions, retryForever } from './retry.ts';
import { ChannelDirectory } from './events/channel-directory.ts';
import { Plans } from './sessions/shard-plans.ts';
import { type GatewayInfo, UnauthorizedError } from './rest-reads.ts';
import type { RelayDeps } from './relay-deps.ts';
import { Shard, type ShardShared } from './shard.ts';
import {
  keyOf,
  LEASE_MS,
  type Plan,
  recommended,
  type Share,
  type ShardRef,
  takeShare,
} from './sessions/shard-plan.ts';
import { errorName } from '../../../utils/error-name.ts';

/** How often a process renews its leases, and looks for shards without a process. */
const TICK_MS = 10_000;
/** How often the recommended number of shards is requested. */
const CHECK_MS = 3_600_000;
/** How often `gateway.stopped` is logged again. */
const STOPPED_MS = 300_000;
/** A process that cannot renew its leases ends its shards this long before another may take them over. */
const MARGIN_MS = 5_000;

/** The member name of a process that shares with no other. */
const ALONE = 'alone';

/**
 * Delivers the events of Discord: runs this process's share of the shards, and replaces them when Discord recommends another number. Below a
 * thousand guilds there is one shard, and nothing is shared.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #plans: Plans;
  readonly #lifeline: HeartbeatMonitor;
  readonly #shared: ShardShared;
  readonly #shards = new Map<string, Shard>();
  readonly #ready = new Set<string>();
  readonly #ending = new Set<string>();
  readonly #never = new Promise<void>(() => undefined);
  readonly #queue = new SerialQueue();
  #checkedAt: number;
  #renewedAt: number;
  #parked = false;
  #stopping = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#plans = new Plans(deps);
    this.#lifeline = new HeartbeatMonitor(deps);
    this.#checkedAt = deps.now();
    this.#renewedAt = deps.now();
    const wait = (ms: number): Promise<void> => this.#lifeline.wait(ms, () => this.#stopping);
    const gate = identifyGate({ ...deps, wait, refused: () => this.#park(4004) });
    this.#shared = {
      places: new ChannelDirectory(deps.reads),
      chatter: new UnaddressedFilter(deps.mayConcern, deps.now),
      mayIdentify: (ref) => (this.#parked ? this.#never : this.#lifeline.during(keyOf(ref), () => gate(ref))),
    };
  }

  /** Continues where the last process stopped. Resolves when it has started. Never rejects. */
  async start(): Promise<void> {
    await this.#plans.load(() => this.#gateway());
    await this.#step();
    void this.#keepUp();
  }

  /** Accepts no more events, waits for those in progress, and leaves the sessions for the next or another process to resume. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#shards.values()].map((shard) => shard.stop()));
    if (this.#deps.member !== undefined) await this.#plans.leave(this.#deps.member);
  }

  /** Retries until Discord responds. Never rejects. */
  async #gateway(): Promise<GatewayInfo> {
    const ask = async (): Promise<GatewayInfo | undefined> =>
      this.#deps.reads.gateway().catch((error: unknown) => {
        if (error instanceof UnauthorizedError) return undefined;
        throw error;
      });
    const found = await retryForever(ask, retryOptions('gateway', this.#deps));
    return found ?? this.#park(4004);
  }

  async #keepUp(): Promise<void> {
    while (!this.#stopping) {
      await this.#deps.sleep(TICK_MS);
      await this.#tick();
    }
  }

  /** One check at a time. Never rejects. */
  #tick(): Promise<void> {
    return this.#queue.run(() => this.#look());
  }

  async #look(): Promise<void> {
    if (this.#stopping || this.#parked) return;
    await this.#check();
    await this.#step();
  }

  /** Requests the recommended number of shards every `CHECK_MS`. */
  async #check(): Promise<void> {
    const { reads, now, log } = this.#deps;
    if (now() - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = now();
    const info = await reads.gateway().catch((error: unknown) => {
      log.warn('gateway.session-limit-check-failed', { error: errorName(error) });
      return undefined;
    });
    if (info)
      this.#plans.change((plan) => this.#affordable(recommended(plan, info.shards, now()), plan, info));
  }

  /** Keeps the current plan if too few session starts are left: a new generation needs one for each of its shards. */
  #affordable(next: Plan, before: Plan, { remaining, resetAfterMs }: GatewayInfo): Plan {
    const shards = next.next && next.next.number !== before.next?.number ? next.next.count : 0;
    if (shards === 0 || remaining >= RESERVED_SESSIONS + shards) return next;
    this.#deps.log.error('gateway.session-starts-low', { count: remaining, waitMs: resetAfterMs });
    return before;
  }

  /** Renews the leases of this process, and starts and ends shards so that it runs its share. Never rejects. */
  async #step(): Promise<void> {
    const { member, now, log } = this.#deps;
    try {
      const share = await this.#plans.agree((plan) => this.#shareOf(plan));
      this.#renewedAt = now();
      this.#apply(share);
    } catch (error) {
      log.warn('gateway.save-failed', { error: errorName(error) });
      if (member !== undefined && now() - this.#renewedAt > LEASE_MS - MARGIN_MS) this.#endAll();
    }
    if (this.#shards.size === 0) this.#deps.alive();
  }

  #shareOf(plan: Plan): Share {
    const { member, now } = this.#deps;
    const running = new Set(this.#shards.keys());
    const me = { name: member ?? ALONE, alone: member === undefined, running, ready: this.#ready };
    return takeShare(plan, me, now());
  }

  #apply({ plan, mine, spare }: Share): void {
    if (this.#stopping) return;
    const wanted = new Set(mine.map(keyOf));
    for (const [key, shard] of this.#shards) {
      if (wanted.has(key) && !spare.has(key)) continue;
      this.#end(
        key,
        shard.ref.generation < plan.current.number ? 'replaced' : wanted.has(key) ? 'given' : 'taken',
      );
    }
    for (const ref of mine) if (!this.#shards.has(keyOf(ref))) this.#begin(ref, plan);
  }

  #begin(ref: ShardRef, plan: Plan): void {
    const key = keyOf(ref);
    const shard = new Shard(ref, this.#deps, this.#shared, {
      alive: () => this.#lifeline.alive(key),
      ready: () => {
        this.#ready.add(key);
        if (plan.next) void this.#tick();
      },
      fatal: (code) => void this.#refused(code),
    });
    this.#shards.set(key, shard);
    this.#lifeline.add(key);
    const { id: number, count } = ref;
    if (count > 1) this.#deps.log.info('gateway.shard-started', { shard: number, shards: count });
    void inherit(ref, plan, this.#deps).then(() => (this.#ending.has(key) ? undefined : shard.start()));
  }

  /** Ends a shard: a new generation replaces it, it is given to another process, or another process has taken it. */
  #end(key: string, why: 'replaced' | 'given' | 'taken'): void {
    const shard = this.#shards.get(key);
    if (!shard || this.#ending.has(key)) return;
    this.#lifeline.remove(key);
    const end = { replaced: () => shard.retire(), given: () => shard.stop(), taken: () => shard.abandon() };
    this.#ending.add(key);
    void end[why]().finally(() => {
      this.#shards.delete(key);
      this.#ready.delete(key);
      this.#ending.delete(key);
      // Another process may start it now.
      void this.#tick();
    });
  }

  /** Ends all shards: other processes have taken them over, or will. */
  #endAll(): void {
    for (const key of this.#shards.keys()) this.#end(key, 'taken');
  }

  /** Discord refuses a shard permanently. If more shards are needed, the plan changes; otherwise the relay stops. */
  async #refused(code: number): Promise<void> {
    if (code !== NO_SUCH_SHARD && code !== TOO_MANY_GUILDS) return this.#park(code);
    const { shards } = await this.#gateway();
    this.#plans.change((plan) => recommended(plan, shards, this.#deps.now(), true));
    if (!this.#plans.plan.next?.stranded) return this.#park(code);
    await this.#tick();
  }

  /** Keeps the process idle: if it ended, it would be restarted and use up another session. Never resolves. */
  async #park(code: number): Promise<never> {
    this.#parked = true;
    while (!this.#stopping) {
      this.#deps.log.error('gateway.stopped', { code, reason: FATAL.get(code) });
      await this.#lifeline.wait(STOPPED_MS, () => this.#stopping);
    }
    return new Promise<never>(() => undefined);
  }
}

/** Close codes for an invalid shard, and for too few shards. */
const [NO_SUCH_SHARD, TOO_MANY_GUILDS] = [4010, 4011];
