import type { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { dashboard } from './dashboard.ts';
import { feedbackMetrics } from './feedback-metrics.ts';
import { rulesOf, type Watched } from './alarm-rules.ts';

/**
 * One alarm for each rule. Each names its paragraph of the runbook, and tells the topic also when it is over. Beside them, what is
 * counted without an alarm, and a page that shows it all.
 */
export function alarms(stack: Stack, on: Watched, topicArn: string | undefined): void {
  feedbackMetrics(stack, on.worker);
  dashboard(stack, on);
  const action = topicArn ? new SnsAction(Topic.fromTopicArn(stack, 'AlarmTopic', topicArn)) : undefined;
  for (const rule of rulesOf(stack, on)) {
    const alarm = new Alarm(stack, rule.id, {
      alarmName: `${stack.stackName}-${rule.anchor}`,
      alarmDescription: `${rule.meaning} What to do: docs/runbook.md#${rule.anchor}`,
      metric: rule.metric,
      threshold: rule.from,
      comparisonOperator: rule.whenMissing
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: rule.periods,
      treatMissingData: rule.whenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      ...(rule.isPercentile && { evaluateLowSampleCountPercentile: 'ignore' }),
    });
    if (!action) continue;
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
