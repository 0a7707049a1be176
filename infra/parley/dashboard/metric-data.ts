import * as v from 'valibot';
import type { OperatorCall } from '../operator/operator-call.ts';

/** A metric with a statistic. */
export type MetricQuery = {
  readonly namespace: string;
  readonly name: string;
  /** Such as `Sum`, `p95`. */
  readonly statistic: string;
  readonly dimension?: readonly [name: string, value: string] | undefined;
  readonly periodMs: number;
};

/** The points of a metric by their time (ms since 1970). */
export type MetricPoints = ReadonlyMap<number, number>;

/** The time to read, in ms since 1970. */
export type MetricTime = { readonly fromMs: number; readonly untilMs: number };

const TARGET = 'GraniteServiceVersion20100801.GetMetricData';
/** One request takes 500 metrics, and a page 100,800 points. The dashboard needs far less. */
const MAX_PAGES = 5;

const pageSchema = v.object({
  MetricDataResults: v.array(
    v.object({
      Id: v.string(),
      Timestamps: v.optional(v.array(v.number()), []),
      Values: v.optional(v.array(v.number()), []),
    }),
  ),
  NextToken: v.optional(v.string()),
});

/** Reads metrics: AWS charges for each one of each call. Returns their points in the order of the queries. Rejects with AwsCallError. */
export async function readMetrics(
  call: OperatorCall,
  queries: readonly MetricQuery[],
  { fromMs, untilMs }: MetricTime,
): Promise<readonly MetricPoints[]> {
  const points = queries.map(() => new Map<number, number>());
  let next: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const input = {
      MetricDataQueries: queries.map(toRequest),
      StartTime: fromMs / 1_000,
      EndTime: untilMs / 1_000,
      ...(next !== undefined && { NextToken: next }),
    };
    const result = v.parse(pageSchema, await call('monitoring', TARGET, input));
    for (const { Id, Timestamps, Values } of result.MetricDataResults) {
      const of = points[Number(Id.slice(1))];
      for (const [index, seconds] of Timestamps.entries()) of?.set(seconds * 1_000, Values[index] ?? 0);
    }
    next = result.NextToken;
    if (next === undefined) break;
  }
  return points;
}

const toRequest = (
  { namespace, name, statistic, dimension, periodMs }: MetricQuery,
  index: number,
): object => ({
  Id: `m${index}`,
  MetricStat: {
    Metric: {
      Namespace: namespace,
      MetricName: name,
      ...(dimension && { Dimensions: [{ Name: dimension[0], Value: dimension[1] }] }),
    },
    Stat: statistic,
    Period: periodMs / 1_000,
  },
});
