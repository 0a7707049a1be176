import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { LambdaFunction } from './lambda-function.ts';

/** Invokes a function every minute. */
export const scheduleEveryMinute = (stack: Stack, id: string, handler: LambdaFunction): void =>
  scheduleAtRate(stack, id, handler, 'rate(1 minute)');

/**
 * Invokes a function at a fixed rate. A failed invocation is not retried: the next one does the same work. The scheduler only puts an event on the queue of
 * Lambda, which by default calls a function that fails twice more, and keeps events for six hours while it throttles (Lambda, "Error handling and retries in
 * asynchronous invocation"). The role is explicit, because the CDK's own role could invoke every version.
 */
export function scheduleAtRate(stack: Stack, id: string, handler: LambdaFunction, rate: string): void {
  const role = new Role(stack, `${id}Role`, {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
  });
  role.addToPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [handler.target.functionArn] }),
  );
  handler.target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
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
