import { Duration, type Stack } from 'aws-cdk-lib';
import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';

/** When an alarm sounds. */
export type Rule = {
  readonly id: string;
  /** The heading in docs/runbook.md, as its anchor. */
  readonly anchor: string;
  readonly meaning: string;
  readonly metric: IMetric;
  /** The alarm sounds at this value or above it. */
  readonly from: number;
  readonly periods: number;
  /** It sounds below the value instead, and where nothing is measured. */
  readonly whenMissing?: boolean;
  /** Of a percentile: it does not sound on fewer values than the percentile means something of. */
  readonly isPercentile?: boolean;
};

/** Over how long a metric is taken, and how. */
export const five = { period: Duration.minutes(5), statistic: Stats.SUM };
export const quarter = { ...five, period: Duration.minutes(15) };
export const oldest = { period: Duration.minutes(1), statistic: Stats.MAXIMUM };

type Lines = { readonly pattern: ReturnType<typeof FilterPattern.all>; readonly every: typeof five };

/** How many lines of these logs fit. */
export function counted(
  stack: Stack,
  name: string,
  of: readonly ILogGroup[],
  { pattern, every }: Lines,
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

/** Something that functions and the relay measure themselves: see shared/runtime/metrics.ts. */
export function measured(
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
