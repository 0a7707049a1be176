import type { Stack } from 'aws-cdk-lib';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { LambdaFunction } from '../lambda-function.ts';

/** By what the worker logs of a rating (`kind`), the metric that counts it. */
const METRICS = { good: 'AnswersRatedGood', bad: 'AnswersRatedBad' } as const;

/**
 * Counts how answers are rated, by the model that gave them, out of what the worker logs: in the namespace of the stack, like all
 * that is counted of its logs.
 */
export function feedbackMetrics(stack: Stack, { lambda: { logGroup } }: LambdaFunction): void {
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
