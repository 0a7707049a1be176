import type { Stack } from 'aws-cdk-lib';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { LambdaFunction } from '../lambda-function.ts';

/** Metric names by the logged `kind` of a rating. */
const METRICS = { good: 'AnswersRatedGood', bad: 'AnswersRatedBad' } as const;

/** Counts ratings by model, from the worker's log, in the namespace of the stack. */
export function createFeedbackMetrics(stack: Stack, { lambda: { logGroup } }: LambdaFunction): void {
  for (const [kind, metricName] of Object.entries(METRICS)) {
    new MetricFilter(logGroup, metricName, {
      logGroup,
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.event', '=', 'feedback.given'),
        FilterPattern.stringValue('$.kind', '=', kind),
      ),
      metricNamespace: stack.stackName,
      metricName,
      dimensions: { Model: '$.model' },
    });
  }
}
