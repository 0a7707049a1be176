import type { AlarmRow } from '../../dashboard/index.ts';
import type { DeploymentParts, DeploymentState } from './deployment-parts.ts';

const TITLES = [
  ['logs', 'Messages, errors, jobs, feedback'],
  ['metrics', 'Times, tokens and dollars over time'],
  ['queues', 'Queues'],
  ['alarms', 'Alarms'],
  ['limits', 'Rate limits'],
  ['accounts', 'Usage by person, channel and model'],
] as const satisfies readonly (readonly [keyof DeploymentParts, string])[];

/** The section of the runbook that an alarm links at the end of its meaning. */
const findSection = (alarm: AlarmRow | undefined): string => alarm?.meaning.split('#').at(-1) ?? '';

/** Returns sentences about alarms that are raised and about what is missing on the page of a deployment, and what to do. */
export function listDeploymentNotes(state: DeploymentState, now: number): string[] {
  const { parts, workspaces, logWindow, rangeMs } = state;
  const notes = TITLES.flatMap(([name, title]) => {
    const problem = parts[name].problem();
    if (problem !== undefined) return [`${title}: ${problem}`];
    return parts[name].isReading() && parts[name].latest() === undefined ? [`${title}: being read.`] : [];
  });
  const alarms = parts.alarms.latest() ?? [];
  const raised = alarms.filter((alarm) => alarm.state === 'alarm');
  if (raised.length > 0)
    notes.unshift(
      `Alarms are raised: ${raised.map(({ name }) => name).join(', ')}. What to do: docs/runbook.md#${findSection(raised[0])}`,
    );
  if (alarms.length > 0 && !alarms.some(({ isNotifying }) => isNotifying))
    notes.push('Alarms notify nobody. Deploy with -c alarmTopic=...: docs/deploying.md says how.');
  const coveredFrom = logWindow.coveredFrom();
  if (coveredFrom !== undefined && coveredFrom > now - rangeMs) {
    const since = `${new Date(coveredFrom).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    notes.push(
      parts.logs.isReading()
        ? `Messages, errors, jobs, feedback and failures: read since ${since}; earlier ones are being read.`
        : `Messages, errors, jobs, feedback and failures: since ${since} only. There are too many log lines; "npx parley tail" reads others.`,
    );
  } else if (!logWindow.isComplete())
    notes.push('Messages, errors, jobs, feedback and failures: some log lines could not be read in time.');
  const isPartial = parts.accounts.latest()?.isComplete === false;
  if (isPartial && workspaces.length === 0)
    notes.push(
      'Only the first 10 MB of the table were read. With --workspace slack:T... all accounts of it are read, for less.',
    );
  return notes;
}
