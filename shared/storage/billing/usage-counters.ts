import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** The usage of an account. `atto` and `requests` include reservations. */
export type UsageCounters = {
  readonly account: string;
  readonly atto: bigint;
  readonly requests: number;
  readonly models: Readonly<Record<string, ModelUsage>>;
};
export type ModelUsage = {
  readonly requests: number;
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
  readonly atto: bigint;
  /** Requests without a complete price: `atto` lacks their cost. */
  readonly unknown: number;
  /** Requests for which the server reported no usage: their tokens and cost are estimated. */
  readonly estimated: number;
};

/** A finished request. */
export type Booking = {
  readonly id: string;
  readonly model: string;
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
  readonly atto: bigint;
  readonly priced: boolean;
  /** Whether the server reported no usage. */
  readonly isEstimated?: boolean | undefined;
};

type Item = Readonly<Record<string, AttributeValue>>;

/**
 * Returns the updates of the counters of a model, each in its own attribute: requests in `q:model-a`, and so
 * on.
 */
export function counterUpdates({ model, prompt, cached, completion, atto, priced, isEstimated }: Booking) {
  const counts: readonly (readonly [letter: string, count: number | bigint])[] = [
    ['q', 1],
    ['p', prompt],
    ['k', cached],
    ['c', completion],
    ['a', atto],
    ['u', priced ? 0 : 1],
    ['e', isEstimated ? 1 : 0],
  ];
  return {
    sets: counts
      .map(([letter]) => `#m${letter} = if_not_exists(#m${letter}, :zero) + :m${letter}`)
      .join(', '),
    names: Object.fromEntries(counts.map(([letter]) => [`#m${letter}`, `${letter}:${model}`])),
    values: {
      ':zero': { N: '0' },
      ...Object.fromEntries(counts.map(([letter, count]) => [`:m${letter}`, { N: String(count) }])),
    },
  };
}

/** Reads the counters of an account's item. */
export function readUsageCounters(account: string, item: Item): UsageCounters {
  const number = (name: string): number => Number(item[name]?.N ?? 0);
  const names = Object.keys(item).flatMap((name) => (name.startsWith('q:') ? [name.slice(2)] : []));
  const models = names.map((name): [string, ModelUsage] => [
    name,
    {
      requests: number(`q:${name}`),
      prompt: number(`p:${name}`),
      cached: number(`k:${name}`),
      completion: number(`c:${name}`),
      atto: BigInt(item[`a:${name}`]?.N ?? 0),
      unknown: number(`u:${name}`),
      estimated: number(`e:${name}`),
    },
  ]);
  return {
    account,
    atto: BigInt(item['used']?.N ?? 0),
    requests: number('n'),
    models: Object.fromEntries(models),
  };
}
