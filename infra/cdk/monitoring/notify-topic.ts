import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';

/** Makes an alarm notify an SNS topic when it is raised and when it ends. Without a topic it only changes state. */
export function notifyTopic(alarm: Alarm, topicArn: string | undefined): void {
  if (topicArn === undefined) return;
  const action = new SnsAction(Topic.fromTopicArn(alarm, 'Topic', topicArn));
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
}
