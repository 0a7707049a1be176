import { SerialQueue, getErrorFacts } from '../../../utils/index.ts';
import { FATAL_CLOSE_CODES } from './profile.ts';
import { UnaddressedFilter } from './events/unaddressed-filter.ts';
import { createIdentifyLimiter, RESERVED_SESSIONS } from './sessions/identify-limiter.ts';
import { inheritState } from './sessions/inherit-session.ts';
import { HeartbeatMonitor } from './sessions/heartbeat-monitor.ts';
import { retryOptions, retryForever } from './retry.ts';
import { ChannelDirectory } from './events/channel-directory.ts';
import { ShardPlans } from './sessions/shard-plans.ts';
import { type GatewayInfo, UnauthorizedError } from './rest-reads.ts';
import type { RelayDeps } from './relay-deps.ts';
import { Shard, type SharedShardState } from './shard.ts';
import {
  shardKey,
  LEASE_MS,
  type Plan,
  withShardCount,
  type Share,
  type ShardRef,
  takeShare,
} from './sessions/shard-plan.ts';

/** How often a process renews its leases, and looks for shards without a process. */
const LEASE_RENEWAL_INTERVAL_MS = 10_000;
/** How often the recommended number of shards is requested. */
const SHARD_COUNT_CHECK_INTERVAL_MS = 3_600_000;
/** How often `gateway.stopped` is logged again. */
const STOPPED_LOG_INTERVAL_MS = 300_000;
/** A process that cannot renew its leases ends its shards this long before another may take them over. */
const LEASE_MARGIN_MS = 5_000;

/** The member name of a process that shares with no other. */
const SINGLE_PROCESS = 'alone';

/**
 * Delivers the events of Discord: runs this process's share of the shards, and replaces them when Discord recommends another number. Below a
 * thousand guilds there is one shard, and nothing is shared.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #plans: ShardPlans;
  readonly #heartbeats: HeartbeatMonitor;
  readonly #shared: SharedShardState;
  readonly #shards = new Map<string, Shard>();
  readonly #ready = new Set<string>();
  readonly #ending = new Set<string>();
  readonly #never = new Promise<never>(() => undefined);
  readonly #queue = new SerialQueue();
  #checkedAt: number;
  #renewedAt: number;
  #isStopped = false;
  #isStopping = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#plans = new ShardPlans(deps);
    this.#heartbeats = new HeartbeatMonitor(deps);
    this.#checkedAt = deps.now();
    this.#renewedAt = deps.now();
    const wait = (ms: number): Promise<void> => this.#heartbeats.wait(ms, () => this.#isStopping);
    const waitForIdentify = createIdentifyLimiter({
      ...deps,
      wait,
      onInvalidToken: () => this.#stopPermanently(4004),
    });
    this.#shared = {
      channels: new ChannelDirectory(deps.reads),
      unaddressedFilter: new UnaddressedFilter(deps.mayConcern, deps.now),
      waitForIdentify: async (ref) => {
        if (!this.#isStopped) await this.#heartbeats.whileWaiting(shardKey(ref), () => waitForIdentify(ref));
        // Another shard may have been refused for good meanwhile.
        if (this.#isStopped) await this.#never;
      },
    };
  }

  /** Continues where the last process stopped. Resolves when it has started. Never rejects. */
  async start(): Promise<void> {
    await this.#plans.load(() => this.#gateway());
    await this.#renewLeases();
    void this.#renewRegularly();
  }

  /** Accepts no more events, waits for those in progress, and leaves the sessions for the next or another process to resume. */
  async stop(): Promise<void> {
    this.#isStopping = true;
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
    const info = await retryForever(ask, retryOptions('gateway', this.#deps));
    return info ?? this.#stopPermanently(4004);
  }

  async #renewRegularly(): Promise<void> {
    while (!this.#isStopping) {
      await this.#deps.sleep(this.#nextCheckMs());
      await this.#tick();
    }
  }

  /** A process that cannot renew its leases checks again exactly when it has to end its shards. */
  #nextCheckMs(): number {
    const remainingMs = this.#renewedAt + LEASE_MS - LEASE_MARGIN_MS - this.#deps.now();
    return remainingMs > 0 ? Math.min(remainingMs, LEASE_RENEWAL_INTERVAL_MS) : LEASE_RENEWAL_INTERVAL_MS;
  }

  /** One check at a time. Never rejects. */
  #tick(): Promise<void> {
    return this.#queue.run(() => this.#checkAndRenew());
  }

  async #checkAndRenew(): Promise<void> {
    if (this.#isStopping || this.#isStopped) return;
    await this.#checkShardCount();
    await this.#renewLeases();
  }

  /** Requests the recommended number of shards every `SHARD_COUNT_CHECK_INTERVAL_MS`. */
  async #checkShardCount(): Promise<void> {
    const { reads, now, log } = this.#deps;
    if (now() - this.#checkedAt < SHARD_COUNT_CHECK_INTERVAL_MS) return;
    this.#checkedAt = now();
    const info = await reads.gateway().catch((error: unknown) => {
      log.warn('gateway.session-limit-check-failed', getErrorFacts(error));
      return undefined;
    });
    if (info)
      this.#plans.change((plan) =>
        this.#withinSessionLimit(withShardCount(plan, info.shards, now()), plan, info),
      );
  }

  /** Keeps the current plan if too few session starts are left: a new generation needs one for each of its shards. */
  #withinSessionLimit(next: Plan, before: Plan, { remaining, resetAfterMs }: GatewayInfo): Plan {
    const shards = next.next && next.next.number !== before.next?.number ? next.next.count : 0;
    if (shards === 0 || remaining >= RESERVED_SESSIONS + shards) return next;
    this.#deps.log.error('gateway.session-starts-low', { count: remaining, waitMs: resetAfterMs });
    return before;
  }

  /** Renews the leases of this process, and starts and ends shards so that it runs its share. Never rejects. */
  async #renewLeases(): Promise<void> {
    const { member, now, log } = this.#deps;
    // The leases count from before they are saved.
    const startedAt = now();
    try {
      const share = await this.#plans.agree((plan) => this.#takeShare(plan));
      this.#renewedAt = startedAt;
      this.#applyShare(share);
    } catch (error) {
      log.warn('gateway.save-failed', getErrorFacts(error));
      if (member !== undefined && now() - this.#renewedAt >= LEASE_MS - LEASE_MARGIN_MS) this.#endAllShards();
    }
    if (this.#shards.size === 0) this.#deps.onAlive();
  }

  #takeShare(plan: Plan): Share {
    const { member, now } = this.#deps;
    const running = new Set(this.#shards.keys());
    const me = { name: member ?? SINGLE_PROCESS, isAlone: member === undefined, running, ready: this.#ready };
    return takeShare(plan, me, now());
  }

  #applyShare({ plan, mine, surplus }: Share): void {
    if (this.#isStopping) return;
    const ownKeys = new Set(mine.map(shardKey));
    for (const [key, shard] of this.#shards) {
      if (ownKeys.has(key) && !surplus.has(key)) continue;
      this.#endShard(
        key,
        shard.ref.generation < plan.current.number
          ? 'replaced'
          : ownKeys.has(key)
            ? 'released'
            : 'taken-over',
      );
    }
    for (const ref of mine) if (!this.#shards.has(shardKey(ref))) this.#startShard(ref, plan);
  }

  #startShard(ref: ShardRef, plan: Plan): void {
    const key = shardKey(ref);
    const shard = new Shard(ref, this.#deps, this.#shared, {
      onAlive: () => this.#heartbeats.alive(key),
      onReady: () => {
        this.#ready.add(key);
        if (plan.next) void this.#tick();
      },
      onFatalClose: (code) => void this.#handleFatalClose(code),
    });
    this.#shards.set(key, shard);
    this.#heartbeats.add(key);
    const { id: number, count } = ref;
    if (count > 1) this.#deps.log.info('gateway.shard-started', { shard: number, shards: count });
    void inheritState(ref, plan, this.#deps).then(() => (this.#ending.has(key) ? undefined : shard.start()));
  }

  /** Ends a shard: a new generation replaces it, it is given to another process, or another process has taken it. */
  #endShard(key: string, why: 'replaced' | 'released' | 'taken-over'): void {
    const shard = this.#shards.get(key);
    if (!shard || this.#ending.has(key)) return;
    this.#heartbeats.remove(key);
    const end = {
      replaced: () => shard.retire(),
      released: () => shard.stop(),
      'taken-over': () => shard.abandon(),
    };
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
  #endAllShards(): void {
    for (const key of this.#shards.keys()) this.#endShard(key, 'taken-over');
  }

  /** Discord refuses a shard permanently. If more shards are needed, the plan changes; otherwise the relay stops. */
  async #handleFatalClose(code: number): Promise<void> {
    if (code !== NO_SUCH_SHARD && code !== TOO_MANY_GUILDS) return this.#stopPermanently(code);
    const { shards } = await this.#gateway();
    this.#plans.change((plan) => withShardCount(plan, shards, this.#deps.now(), true));
    if (!this.#plans.plan.next?.stranded) return this.#stopPermanently(code);
    await this.#tick();
  }

  /** Keeps the process idle: if it ended, it would be restarted and use up another session. Logs that once for all shards. Never resolves. */
  async #stopPermanently(code: number): Promise<never> {
    if (this.#isStopped) return this.#never;
    this.#isStopped = true;
    this.#heartbeats.ignoreShards();
    while (!this.#isStopping) {
      this.#deps.log.error('gateway.stopped', { code, reason: FATAL_CLOSE_CODES.get(code) });
      await this.#heartbeats.wait(STOPPED_LOG_INTERVAL_MS, () => this.#isStopping);
    }
    return this.#never;
  }
}

/** Close codes for an invalid shard, and for too few shards. */
const [NO_SUCH_SHARD, TOO_MANY_GUILDS] = [4010, 4011];
