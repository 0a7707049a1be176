import {
  type Breaker,
  CLOSED,
  openBreaker,
  PROBE_TIMEOUT_MS,
  getBreakerState,
} from '../../rate-limits/index.ts';
import { TtlCache } from '../../utils/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';

const TTL_SECONDS = 3600;
/** After a failure, a process reads the breaker before each request during this time. */
const CHECK_PERIOD_MS = 10 * 60_000;
/** The poll interval while a trial request runs. */
const PROBE_POLL_MS = 500;
/** Within this time, one read serves all waiters of a process. */
const CACHE_TTL_MS = 200;

export type BreakersConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
};

/** The stored state of a model. */
type BreakerItem = {
  readonly breaker: Breaker;
  /** The lease of the trial request; 0 if there is none. */
  readonly probe: number;
};

/**
 * The circuit breakers of all models, one item per model, shared by all workers. No cost while all models have
 * capacity: a process starts to read the item after its own first failure, until the model responds. No method
 * rejects: without the table, requests are simply sent.
 */
export class Breakers {
  readonly #config: BreakersConfig;
  readonly #failedAt = new Map<string, number>();
  readonly #cache: TtlCache<BreakerItem>;
  /** Models for which this process runs a trial request, and until when. */
  readonly #probes = new Map<string, number>();

  constructor(config: BreakersConfig) {
    this.#config = config;
    this.#cache = new TtlCache({ now: config.now, ttlMs: CACHE_TTL_MS });
  }

  /** Returns how long to send no request to this model (ms); 0 if requests or a trial are allowed. */
  async waitMs(model: string): Promise<number> {
    if (!this.#hasFailedRecently(model)) return 0;
    try {
      return this.#getWaitMs(await this.#cache.get(model, (key) => this.#get(key)));
    } catch {
      return 0;
    }
  }

  /**
   * Asks for permission to send a request: resolves with 0, or with the time to wait (ms). While the model is
   * full, one trial request is allowed. Its result must be reported within `PROBE_TIMEOUT_MS` with
   * `recordFailure`, `recordSuccess` or `recordNoResult`.
   */
  async enter(model: string): Promise<number> {
    if (!this.#hasFailedRecently(model)) return 0;
    try {
      const item = await this.#read(model);
      const { breaker } = item;
      const now = this.#config.now();
      const wait = this.#getWaitMs(item);
      if (wait > 0) return wait;
      if (getBreakerState(breaker, now) === 'closed') {
        this.#failedAt.delete(model);
        return 0;
      }
      const lease = now + PROBE_TIMEOUT_MS;
      const values = { ':lease': lease, ':now': now, ':until': breaker.untilMs };
      const condition = '(attribute_not_exists(probe) OR probe <= :now) AND opens = :until';
      if (!(await this.#update(model, 'SET probe = :lease', condition, values))) return CACHE_TTL_MS;
      this.#probes.set(model, lease);
      return 0;
    } catch {
      return 0;
    }
  }

  /** Records that the model has no capacity. */
  async recordFailure(model: string, retryAfterMs = 0): Promise<void> {
    const { now, random } = this.#config;
    this.#failedAt.set(model, now());
    this.#probes.delete(model);
    try {
      const { breaker } = await this.#read(model);
      // Requests that were sent before the breaker opened contain no news.
      if (getBreakerState(breaker, now()) === 'open') return;
      const next = openBreaker(breaker, now(), retryAfterMs, random());
      const values = { ':fails': next.fails, ':until': next.untilMs, ':before': breaker.fails, ':zero': 0 };
      await this.#update(
        model,
        'SET fails = :fails, opens = :until, probe = :zero, #ttl = :ttl',
        breaker.fails === 0 ? 'attribute_not_exists(fails) OR fails = :before' : 'fails = :before',
        { ...values, ':ttl': Math.floor(now() / 1000) + TTL_SECONDS },
        ATTRIBUTE_NAMES,
      );
    } catch {
      // The next failure repeats it.
    }
  }

  /** Records a response of the model: all waiters continue. */
  async recordSuccess(model: string): Promise<void> {
    this.#probes.delete(model);
    if (!this.#hasFailedRecently(model)) return;
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
      this.#failedAt.delete(model);
      this.#cache.delete(model);
    } catch {
      // The next trial request will find out.
    }
  }

  /** Ends a trial request without a result: another one may start immediately. */
  async recordNoResult(model: string): Promise<void> {
    const lease = this.#probes.get(model);
    if (lease === undefined) return;
    this.#probes.delete(model);
    const values = { ':zero': 0, ':lease': lease };
    await this.#update(model, 'SET probe = :zero', 'probe = :lease', values).catch(() => undefined);
  }

  #hasFailedRecently(model: string): boolean {
    return this.#config.now() - (this.#failedAt.get(model) ?? -Infinity) < CHECK_PERIOD_MS;
  }

  #getWaitMs({ breaker, probe }: BreakerItem): number {
    const now = this.#config.now();
    const state = getBreakerState(breaker, now);
    if (state === 'closed') return 0;
    if (state === 'open') return breaker.untilMs - now;
    return Math.min(PROBE_POLL_MS, Math.max(0, probe - now));
  }

  #read(model: string): Promise<BreakerItem> {
    return this.#cache.refresh(model, (key) => this.#get(key));
  }

  async #get(model: string): Promise<BreakerItem> {
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
    this.#cache.delete(model);
    return isConditionMet(
      dynamo.update({
        TableName: table,
        Key: { pk: { S: `MODEL#${model}` } },
        UpdateExpression: change,
        ConditionExpression: condition,
        ...(names && { ExpressionAttributeNames: names }),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, n]) => [name, { N: String(n) }]),
        ),
      }),
    );
  }
}

const ATTRIBUTE_NAMES = { '#ttl': 'ttl' };
