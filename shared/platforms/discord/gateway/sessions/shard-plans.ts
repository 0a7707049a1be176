import { readCheckpoint, textOf } from './checkpoint.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { GatewayInfo } from '../rest-reads.ts';
import type { RelayDeps } from '../relay-deps.ts';
import { FIRST, left, type Plan, readPlan, type Share } from './shard-plan.ts';
import { errorName } from '../../../../utils/error-name.ts';
import { msToSnowflake } from '../../../../utils/snowflake.ts';

/** How often a save is retried after another process has saved. */
const MAX_TRIES = 10;

/** The plan that all processes share, as this process last read it. */
export class Plans {
  readonly #deps: RelayDeps;
  #plan: Plan = FIRST;
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
    const patience = retryOptions('load', this.#deps);
    const kept = await retryForever(() => this.#deps.planShelf.load(), patience);
    const plan = kept && readPlan(kept.text);
    this.#version = kept?.version ?? 0;
    if (plan) {
      this.#plan = plan;
      return;
    }
    const { shelf } = this.#deps.shelves('');
    const text = await retryForever(() => shelf.load(), patience);
    const bookmark = text === undefined ? undefined : readCheckpoint(text);
    if (bookmark?.session) return;
    // Saved before the first request: messages from now on are backfilled, even if this process ends now.
    if (!bookmark) await this.#beginFirst();
    const { shards: count } = await gateway();
    if (count > 1) this.#plan = { ...FIRST, previous: FIRST.current, current: { number: 1, count } };
  }

  async #beginFirst(): Promise<void> {
    const { shelves, now, log } = this.#deps;
    const seen = msToSnowflake(now() - 1);
    await shelves('')
      .shelf.save(textOf({ me: '', seen, directs: [] }))
      .catch((error: unknown) => log.warn('gateway.save-failed', { error: errorName(error) }));
  }

  /** Changes the plan with the next agreement. */
  change(change: (plan: Plan) => Plan): void {
    const before = this.#change;
    this.#change = before ? (plan) => change(before(plan)) : change;
  }

  /** Takes a share of the plan as it stands, and writes that down; anew if somebody else has written meanwhile. Rejects when the table does. */
  async agree(share: (plan: Plan) => Share): Promise<Share> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const taken = share(this.plan);
      if (await this.#save(taken.plan)) {
        this.#plan = taken.plan;
        this.#change = undefined;
        return taken;
      }
      await this.#reload();
    }
    throw new Error('others write all the time');
  }

  /** Leaves what a process has to the others. Rejects never: what is not written down runs out. */
  async leave(member: string): Promise<void> {
    try {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        if (await this.#save(left(this.#plan, member))) return;
        await this.#reload();
      }
    } catch (error) {
      this.#deps.log.warn('gateway.save-failed', { error: errorName(error) });
    }
  }

  async #save(plan: Plan): Promise<boolean> {
    const { member, planShelf } = this.#deps;
    // Who shares with nobody writes down no more than how the guilds are divided, and that only if it is not as ever.
    const text = textFor(plan, member === undefined);
    if (member === undefined && text === textFor(this.#plan, true)) {
      if (this.#version > 0 || text === textFor(FIRST, true)) return true;
    }
    if (!(await planShelf.save(text, this.#version))) return false;
    this.#version += 1;
    return true;
  }

  async #reload(): Promise<void> {
    const kept = await this.#deps.planShelf.load();
    this.#version = kept?.version ?? 0;
    this.#plan = (kept && readPlan(kept.text)) ?? FIRST;
  }
}

const textFor = (plan: Plan, alone: boolean): string =>
  JSON.stringify(alone ? { ...plan, leases: {}, members: {} } : plan);
