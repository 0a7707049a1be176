import type { AlarmRow } from '../../../dashboard/index.ts';
import { type Check, pass, warn } from '../../../configuration/index.ts';
import { readAlarms } from '../../dashboard/alarms.ts';
import { AwsCallError, type OperatorCall } from '../../operator/operator-call.ts';

const NAME = 'Alarms';

/** Checks whether alarms of a deployment are raised, and whether they notify somebody. Never rejects. */
export async function checkAlarms(call: OperatorCall, stack: string): Promise<Check[]> {
  try {
    return evaluateAlarms(await readAlarms(call, stack));
  } catch (error) {
    const reason = error instanceof AwsCallError ? error.code : 'an unexpected response';
    return [
      warn(NAME, `could not be read (${reason}).`, 'Allow cloudwatch:DescribeAlarms for these credentials.'),
    ];
  }
}

function evaluateAlarms(alarms: readonly AlarmRow[]): Check[] {
  if (alarms.length === 0) return [warn(NAME, 'were not found.', 'Deploy again: each deployment has some.')];
  const raised = alarms.filter(({ state }) => state === 'alarm').map(({ name }) => name);
  const silent = alarms.filter(({ isNotifying }) => !isNotifying).map(({ name }) => name);
  const problems = [
    raised.length > 0 &&
      warn(
        NAME,
        `are raised: ${raised.join(', ')}.`,
        'docs/runbook.md has a section for each, which says what to do.',
      ),
    silent.length > 0 &&
      warn(
        NAME,
        silent.length === alarms.length ? 'notify nobody.' : `notify nobody: ${silent.join(', ')}.`,
        'Deploy with -c alarmTopic=ARN. docs/deploying.md says how to create the topic.',
      ),
  ].filter((one) => one !== false);
  return problems.length > 0 ? problems : [pass(NAME, 'notify a topic, and none is raised.')];
}
