import { Duration, type Stack } from 'aws-cdk-lib';
import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';

/** The definition of an alarm. */
export type AlarmRule = {
  readonly id: string;
  /** The anchor of its heading in docs/runbook.md. */
  readonly anchor: string;
  /** Follows the anchor in the name of the alarm where several alarms share a section. */
  readonly part?: string;
  readonly meaning: string;
  /**
   * One metric. The result of an expression is empty as long as one of its metrics has never had data, and AWS does not document that `FILL` changes that, so an
   * expression may only combine metrics that are always written together. Several alarms on one metric each cost as much as one on several.
   */
  readonly metric: IMetric;
  /** The alarm fires at this value or above. */
  readonly threshold: number;
  readonly periods: number;
  /** Fires below the threshold instead, and without data. */
  readonly firesWhenMissing?: boolean;
};

/** Period and statistic of metrics. */
export const FIVE_MINUTE_SUM = { period: Duration.minutes(5), statistic: Stats.SUM };
export const FIVE_MINUTE_AVERAGE = { ...FIVE_MINUTE_SUM, statistic: Stats.AVERAGE };
export const QUARTER_HOUR_SUM = { ...FIVE_MINUTE_SUM, period: Duration.minutes(15) };
export const ONE_MINUTE_MAX = { period: Duration.minutes(1), statistic: Stats.MAXIMUM };

type LogLineFilter = {
  readonly pattern: ReturnType<typeof FilterPattern.all>;
  readonly every: typeof FIVE_MINUTE_SUM;
};

/** Counts log lines that match the pattern. */
export function countLogLines(
  stack: Stack,
  name: string,
  of: readonly ILogGroup[],
  { pattern, every }: LogLineFilter,
): IMetric {
  const [metric] = of.map((logGroup) =>
    new MetricFilter(logGroup, name, {
      logGroup,
      filterPattern: pattern,
      metricNamespace: stack.stackName,
      metricName: name,
    }).metric(every),
  );
  if (!metric) throw new Error(`no log for ${name}`);
  return metric;
}

/** A metric that the functions and the relay write: see shared/runtime/metrics.ts. */
export function createOwnMetric(
  { stackName }: Pick<Stack, 'stackName'>,
  metricName: string,
  statistic: string,
  more: { readonly Source?: string; readonly period?: Duration; readonly label?: string } = {},
): Metric {
  const { Source, period = Duration.minutes(5), label } = more;
  return new Metric({
    namespace: stackName,
    metricName,
    statistic,
    period,
    ...(label && { label }),
    ...(Source && { dimensionsMap: { Source } }),
  });
}
