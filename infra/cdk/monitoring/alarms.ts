import type { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmRule } from '../alarm-rule.ts';
import { createDashboard } from './dashboard.ts';
import { createFeedbackMetrics } from './feedback-metrics.ts';
import { createAlarmRules, type MonitoredResources } from './alarm-rules.ts';
import { notifyTopic, requireTopicHere } from './notify-topic.ts';

/** Creates the alarms, the dashboard and the feedback metrics. Each alarm links its runbook section, and also notifies on recovery. */
export function createAlarms(stack: Stack, on: MonitoredResources, topicArn: string | undefined): void {
  createFeedbackMetrics(stack, on.worker);
  const alarms = createAlarmRules(stack, on).map((rule) => createAlarm(stack, rule));
  requireTopicHere(stack, topicArn);
  for (const alarm of alarms) notifyTopic(alarm, topicArn);
  createDashboard(stack, on, alarms);
}

const createAlarm = (stack: Stack, rule: AlarmRule): Alarm =>
  new Alarm(stack, rule.id, {
    alarmName: `${stack.stackName}-${rule.anchor}${rule.part === undefined ? '' : `-${rule.part}`}`,
    alarmDescription: `${rule.meaning} What to do: docs/runbook.md#${rule.anchor}`,
    metric: rule.metric,
    threshold: rule.threshold,
    comparisonOperator: rule.firesWhenMissing
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: rule.periods,
    treatMissingData: rule.firesWhenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
