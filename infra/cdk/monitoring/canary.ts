import { Duration, type Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { ENV } from '../../../shared/runtime/shared-names.ts';
import type { Rule } from './alarm-rule.ts';
import type { Canary } from '../context-options.ts';
import { LambdaFunction, type Use } from '../lambda-function.ts';
import { every } from '../schedule.ts';

const EVERY_MINUTES = 15;

/** The function that asks, and has the question asked every quarter of an hour. */
export function scheduledCanary(
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
  every(stack, 'AskCanary', canary, `rate(${EVERY_MINUTES} minutes)`);
  return canary;
}

/** Sounds where two questions in a row are not answered: one may fall into a deployment. */
export function canaryRule({ lambda }: LambdaFunction): Rule {
  return {
    id: 'CanaryUnanswered',
    anchor: 'canary-unanswered',
    meaning: 'Two test questions in a row, 15 minutes apart, were not answered.',
    metric: lambda.metricErrors({ period: Duration.minutes(EVERY_MINUTES), statistic: Stats.SUM }),
    from: 1,
    periods: 2,
  };
}
