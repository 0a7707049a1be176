import type { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { createDashboard } from './dashboard.ts';
import { createFeedbackMetrics } from './feedback-metrics.ts';
import { createAlarmRules, type MonitoredResources } from './alarm-rules.ts';

/** Creates the alarms, the dashboard and the feedback metrics. Each alarm links its runbook section, and also notifies on recovery. */
export function createAlarms(stack: Stack, on: MonitoredResources, topicArn: string | undefined): void {
  createFeedbackMetrics(stack, on.worker);
  createDashboard(stack, on);
  const action = topicArn ? new SnsAction(Topic.fromTopicArn(stack, 'AlarmTopic', topicArn)) : undefined;
  for (const rule of createAlarmRules(stack, on)) {
    const alarm = new Alarm(stack, rule.id, {
      alarmName: `${stack.stackName}-${rule.anchor}`,
      alarmDescription: `${rule.meaning} What to do: docs/runbook.md#${rule.anchor}`,
      metric: rule.metric,
      threshold: rule.threshold,
      comparisonOperator: rule.firesWhenMissing
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: rule.periods,
      treatMissingData: rule.firesWhenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      ...(rule.isPercentile && { evaluateLowSampleCountPercentile: 'ignore' }),
    });
    if (!action) continue;
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
