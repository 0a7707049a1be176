import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { LambdaFunction } from './lambda-function.ts';

/** Calls a function every minute. */
export const everyMinute = (stack: Stack, id: string, handler: LambdaFunction): void =>
  every(stack, id, handler, 'rate(1 minute)');

/**
 * Calls a function at that rate, for as long as the stack stands. A call that cannot be made is not made up for: the
 * next one does the same work. The role is written out because the one that the CDK makes may also call every version.
 */
export function every(stack: Stack, id: string, handler: LambdaFunction, rate: string): void {
  const role = new Role(stack, `${id}Role`, {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
  });
  role.addToPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [handler.target.functionArn] }),
  );
  const schedule = new CfnSchedule(stack, id, {
    scheduleExpression: rate,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: handler.target.functionArn,
      roleArn: role.roleArn,
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
    },
  });
  schedule.node.addDependency(role);
}
