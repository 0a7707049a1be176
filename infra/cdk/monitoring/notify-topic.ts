import { Arn, ArnFormat, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
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

/** CloudWatch refuses alarms that notify a topic of another region, late in a deployment. This rule fails before any resource is created. */
export function requireTopicHere(stack: Stack, topicArn: string | undefined): void {
  const region = topicArn && Arn.split(topicArn, ArnFormat.NO_RESOURCE_NAME).region;
  if (!region) return;
  new CfnRule(stack, 'AlarmTopicRegion', {
    assertions: [
      {
        assert: Fn.conditionEquals(stack.region, region),
        assertDescription: `-c alarmTopic names a topic in ${region}: alarms can only notify a topic in the region of the deployment.`,
      },
    ],
  });
}
