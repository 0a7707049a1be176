import { Duration, type Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { ENV } from '../../../shared/runtime/index.ts';
import type { AlarmRule } from '../alarm-rule.ts';
import type { Canary } from '../context-options.ts';
import { LambdaFunction, type Use } from '../lambda-function.ts';
import { scheduleAtRate } from '../schedule.ts';

const INTERVAL_MINUTES = 15;

/** Creates the canary function and its schedule. */
export function createCanary(
  stack: Stack,
  { channel, person }: Canary,
  uses: readonly Use[],
): LambdaFunction {
  const canary = new LambdaFunction(stack, 'Canary', {
    entry: 'canary',
    description: 'Asks a test question as a person would, and checks that it is answered',
    // An answer may take two minutes.
    timeout: Duration.minutes(3),
    gradual: false,
    uses: [...uses, { env: { [ENV.canaryChannel]: channel, [ENV.canaryPerson]: person } }],
  });
  scheduleAtRate(stack, 'AskCanary', canary, `rate(${INTERVAL_MINUTES} minutes)`);
  return canary;
}

/** Fires when two questions in a row are not answered; one may fail during a deployment. */
export function createCanaryRule({ lambda }: LambdaFunction): AlarmRule {
  return {
    id: 'CanaryUnanswered',
    anchor: 'canary-unanswered',
    meaning: 'Two test questions in a row, 15 minutes apart, were not answered.',
    metric: lambda.metricErrors({ period: Duration.minutes(INTERVAL_MINUTES), statistic: Stats.SUM }),
    threshold: 1,
    periods: 2,
  };
}
