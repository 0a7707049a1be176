import { type Breaker, CLOSED, opened, PROBE_MS, stateOf } from '../limits/index.ts';
import { ConditionFailed, type Dynamo } from './dynamo.ts';

const TTL_SECONDS = 3600;
/** A process that has heard of a full model within this time asks the table how it stands; the others ask the model. */
const WARY_MS = 10 * 60_000;

export type BreakersConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
};

/**
 * Which models are full, for all workers: one item per model. Costs nothing while no model is full: a process learns of
 * it by its own first 429, and from then on reads the item before it asks. Nothing here rejects: without the table each
 * model is simply asked.
 */
export class Breakers {
  readonly #config: BreakersConfig;
  readonly #wary = new Map<string, number>();

  constructor(config: BreakersConfig) {
    this.#config = config;
  }

  /** Of these models, those to be left alone now. Of a model that may be tried again, one caller is let through. */
  async full(models: readonly string[]): Promise<ReadonlySet<string>> {
    const now = this.#config.now();
    const wary = models.filter((model) => now - (this.#wary.get(model) ?? -Infinity) < WARY_MS);
    const shut = await Promise.all(wary.map(async (model) => ((await this.#shut(model)) ? [model] : [])));
    return new Set(shut.flat());
  }

  /** The model said that it is full. */
  async wasFull(model: string, retryAfterMs = 0): Promise<void> {
    const { now, random } = this.#config;
    this.#wary.set(model, now());
    try {
      const { breaker, probe } = await this.#read(model);
      // Those who were on their way when it was opened tell nothing new; the one who tries it does.
      if (stateOf(breaker, now()) === 'open' && probe <= now()) return;
      const next = opened(breaker, now(), retryAfterMs, random());
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

  /** The model answered. */
  async answered(model: string): Promise<void> {
    if (!this.#wary.has(model)) return;
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
    } catch {
      // Whoever tries it next finds the same.
    }
  }

  async #shut(model: string): Promise<boolean> {
    try {
      const now = this.#config.now();
      const { breaker, probe } = await this.#read(model);
      const state = stateOf(breaker, now);
      if (state !== 'half-open') return state === 'open';
      if (probe > now) return true;
      const values = { ':lease': now + PROBE_MS, ':now': now, ':until': breaker.untilMs };
      const condition = '(attribute_not_exists(probe) OR probe <= :now) AND opens = :until';
      return !(await this.#update(model, 'SET probe = :lease', condition, values));
    } catch {
      return false;
    }
  }

  async #read(model: string): Promise<{ readonly breaker: Breaker; readonly probe: number }> {
    const { dynamo, table } = this.#config;
    const { Item } = await dynamo.get({
      TableName: table,
      Key: { pk: { S: `MODEL#${model}` } },
      ConsistentRead: true,
    });
    const number = (name: string): number => Number(Item?.[name]?.N ?? 0);
    const breaker = Item ? { fails: number('fails'), untilMs: number('opens') } : CLOSED;
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
