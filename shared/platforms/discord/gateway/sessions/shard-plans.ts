import { readCheckpoint, serializeCheckpoint } from './checkpoint.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { GatewayInfo } from '../rest-reads.ts';
import type { RelayDeps } from '../relay-deps.ts';
import { INITIAL_PLAN, removeMember, type Plan, readPlan, type Share } from './shard-plan.ts';
import { getErrorFacts, msToSnowflake } from '../../../../utils/index.ts';

/** How often a save is retried after another process has saved. */
const MAX_ATTEMPTS = 10;

/** The plan that all processes share, as this process last read it. */
export class ShardPlans {
  readonly #deps: RelayDeps;
  #plan: Plan = INITIAL_PLAN;
  #version = 0;
  /** A change of the plan that is not saved yet. */
  #change: ((plan: Plan) => Plan) | undefined;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  get plan(): Plan {
    return this.#change ? this.#change(this.#plan) : this.#plan;
  }

  /**
   * Loads the stored plan. Without one, a single shard continues an existing session; without a session, Discord recommends the number of
   * shards. Never rejects.
   */
  async load(gateway: () => Promise<GatewayInfo>): Promise<void> {
    const retryForLoad = retryOptions('load', this.#deps);
    const stored = await retryForever(() => this.#deps.planStore.load(), retryForLoad);
    const plan = stored && readPlan(stored.text);
    this.#version = stored?.version ?? 0;
    if (plan) {
      this.#plan = plan;
      return;
    }
    const { checkpointStore } = this.#deps.shardStores('');
    const text = await retryForever(() => checkpointStore.load(), retryForLoad);
    const checkpoint = text === undefined ? undefined : readCheckpoint(text);
    if (checkpoint?.session) return;
    // Saved before the first request: messages from now on are backfilled, even if this process ends now.
    if (!checkpoint) await this.#saveFirst();
    const { shards: count } = await gateway();
    if (count > 1)
      this.#plan = { ...INITIAL_PLAN, previous: INITIAL_PLAN.current, current: { number: 1, count } };
  }

  async #saveFirst(): Promise<void> {
    const { shardStores, now, log } = this.#deps;
    const seen = msToSnowflake(now() - 1);
    await shardStores('')
      .checkpointStore.save(serializeCheckpoint({ me: '', seen, directs: [] }))
      .catch((error: unknown) => log.warn('gateway.save-failed', getErrorFacts(error)));
  }

  /** Changes the plan with the next agreement. */
  change(change: (plan: Plan) => Plan): void {
    const before = this.#change;
    this.#change = before ? (plan) => change(before(plan)) : change;
  }

  /**
   * Takes a share of the current plan and saves the result. Retries with the new plan if another process
   * has saved meanwhile. Rejects if the table does not respond.
   */
  async agree(share: (plan: Plan) => Share): Promise<Share> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const agreed = share(this.plan);
      if (await this.#save(agreed.plan)) {
        this.#plan = agreed.plan;
        this.#change = undefined;
        return agreed;
      }
      await this.#reload();
    }
    throw new Error('other processes save the plan all the time');
  }

  /**
   * Removes this process from the plan, so that others take over its shards at once. Never rejects: leases
   * that are not removed expire.
   */
  async leave(member: string): Promise<void> {
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        if (await this.#save(removeMember(this.#plan, member))) return;
        await this.#reload();
      }
    } catch (error) {
      this.#deps.log.warn('gateway.save-failed', getErrorFacts(error));
    }
  }

  async #save(plan: Plan): Promise<boolean> {
    const { member, planStore } = this.#deps;
    // A single process saves only how the guilds are divided, and only if that differs from the stored or
    // initial plan.
    const text = serializePlan(plan, member === undefined);
    if (member === undefined && text === serializePlan(this.#plan, true)) {
      if (this.#version > 0 || text === serializePlan(INITIAL_PLAN, true)) return true;
    }
    if (!(await planStore.save(text, this.#version))) return false;
    this.#version += 1;
    return true;
  }

  async #reload(): Promise<void> {
    const stored = await this.#deps.planStore.load();
    this.#version = stored?.version ?? 0;
    this.#plan = (stored && readPlan(stored.text)) ?? INITIAL_PLAN;
  }
}

const serializePlan = (plan: Plan, isAlone: boolean): string =>
  JSON.stringify(isAlone ? { ...plan, leases: {}, members: {} } : plan);
