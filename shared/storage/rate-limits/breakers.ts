import {
  type Breaker,
  CLOSED,
  openBreaker,
  PROBE_TIMEOUT_MS,
  breakerState,
} from '../../rate-limits/index.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';

const TTL_SECONDS = 3600;
/** A process that has heard of a full model within this time asks the table how it stands; the others ask the model. */
const WARY_MS = 10 * 60_000;
/** While somebody tries a full model nobody knows how long it takes: the others look again after this. */
const LOOK_MS = 500;
/** Of many who wait in one process, only one reads the item within this time. */
const FRESH_MS = 200;

export type BreakersConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
};

/** What the table says of a model. */
type Item = {
  readonly breaker: Breaker;
  /** Until when somebody tries it; 0 where nobody does. */
  readonly probe: number;
};

/**
 * Which models are full, for all workers: one item per model. Costs nothing while no model is full: a process learns of
 * it by its own first 429, and from then on reads the item before it asks, until the model has answered. Nothing here
 * rejects: without the table each model is simply asked.
 */
export class Breakers {
  readonly #config: BreakersConfig;
  readonly #wary = new Map<string, number>();
  readonly #seen = new Map<string, { readonly at: number; readonly item: Promise<Item> }>();
  /** Models that this process tries, and until when it keeps the others from it. */
  readonly #probes = new Map<string, number>();

  constructor(config: BreakersConfig) {
    this.#config = config;
  }

  /** How long to leave this model alone (ms); 0 if it may be asked, or tried. */
  async waitMs(model: string): Promise<number> {
    if (!this.#isWary(model)) return 0;
    try {
      return this.#waitOf(await this.#glance(model));
    } catch {
      return 0;
    }
  }

  /**
   * The right to ask this model now: 0, or how long to leave it alone (ms). Of those who wait for a full model one is let
   * through, and has `PROBE_TIMEOUT_MS` to say how it went, by `wasFull`, `answered` or `left`.
   */
  async enter(model: string): Promise<number> {
    if (!this.#isWary(model)) return 0;
    try {
      const item = await this.#read(model);
      const { breaker } = item;
      const now = this.#config.now();
      const wait = this.#waitOf(item);
      if (wait > 0) return wait;
      if (breakerState(breaker, now) === 'closed') {
        this.#wary.delete(model);
        return 0;
      }
      const lease = now + PROBE_TIMEOUT_MS;
      const values = { ':lease': lease, ':now': now, ':until': breaker.untilMs };
      const condition = '(attribute_not_exists(probe) OR probe <= :now) AND opens = :until';
      if (!(await this.#update(model, 'SET probe = :lease', condition, values))) return FRESH_MS;
      this.#probes.set(model, lease);
      return 0;
    } catch {
      return 0;
    }
  }

  /** The model said that it is full. */
  async wasFull(model: string, retryAfterMs = 0): Promise<void> {
    const { now, random } = this.#config;
    this.#wary.set(model, now());
    this.#probes.delete(model);
    try {
      const { breaker } = await this.#read(model);
      // Those who were on their way when it was opened tell nothing new.
      if (breakerState(breaker, now()) === 'open') return;
      const next = openBreaker(breaker, now(), retryAfterMs, random());
      const values = { ':fails': next.fails, ':until': next.untilMs, ':before': breaker.fails, ':zero': 0 };
      await this.#update(
        model,
        'SET fails = :fails, opens = :until, probe = :zero, #ttl = :ttl',
        breaker.fails === 0 ? 'attribute_not_exists(fails) OR fails = :before' : 'fails = :before',
        { ...values, ':ttl': Math.floor(now() / 1000) + TTL_SECONDS },
        NAMES,
      );
    } catch {
      // The next 429 says it again.
    }
  }

  /** The model answered: everyone who waits for it goes on. */
  async answered(model: string): Promise<void> {
    this.#probes.delete(model);
    if (!this.#isWary(model)) return;
    try {
      const { breaker } = await this.#read(model);
      if (breaker.fails > 0) {
        const values = { ':zero': 0, ':before': breaker.fails };
        await this.#update(
          model,
          'SET fails = :zero, opens = :zero, probe = :zero',
          'fails = :before',
          values,
        );
      }
      this.#wary.delete(model);
      this.#seen.delete(model);
    } catch {
      // Whoever tries it next finds the same.
    }
  }

  /** Whoever was let through did not ask, or heard neither of the two: another may try at once. */
  async left(model: string): Promise<void> {
    const lease = this.#probes.get(model);
    if (lease === undefined) return;
    this.#probes.delete(model);
    const values = { ':zero': 0, ':lease': lease };
    await this.#update(model, 'SET probe = :zero', 'probe = :lease', values).catch(() => undefined);
  }

  #isWary(model: string): boolean {
    return this.#config.now() - (this.#wary.get(model) ?? -Infinity) < WARY_MS;
  }

  #waitOf({ breaker, probe }: Item): number {
    const now = this.#config.now();
    const state = breakerState(breaker, now);
    if (state === 'closed') return 0;
    if (state === 'open') return breaker.untilMs - now;
    return Math.min(LOOK_MS, Math.max(0, probe - now));
  }

  /** The item as somebody in this process read it a moment ago. */
  #glance(model: string): Promise<Item> {
    const seen = this.#seen.get(model);
    return seen && this.#config.now() - seen.at < FRESH_MS ? seen.item : this.#read(model);
  }

  #read(model: string): Promise<Item> {
    const item = this.#get(model);
    this.#seen.set(model, { at: this.#config.now(), item });
    return item;
  }

  async #get(model: string): Promise<Item> {
    const { dynamo, table } = this.#config;
    const { Item: item } = await dynamo.get({
      TableName: table,
      Key: { pk: { S: `MODEL#${model}` } },
      ConsistentRead: true,
    });
    const number = (name: string): number => Number(item?.[name]?.N ?? 0);
    const breaker = item ? { fails: number('fails'), untilMs: number('opens') } : CLOSED;
    return { breaker, probe: number('probe') };
  }

  async #update(
    model: string,
    change: string,
    condition: string,
    values: Readonly<Record<string, number>>,
    names?: Record<string, string>,
  ): Promise<boolean> {
    const { dynamo, table } = this.#config;
    this.#seen.delete(model);
    try {
      await dynamo.update({
        TableName: table,
        Key: { pk: { S: `MODEL#${model}` } },
        UpdateExpression: change,
        ConditionExpression: condition,
        ...(names && { ExpressionAttributeNames: names }),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, n]) => [name, { N: String(n) }]),
        ),
      });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
  }
}

const NAMES = { '#ttl': 'ttl' };
