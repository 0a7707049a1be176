import * as v from 'valibot';
import type { AlarmRow } from '../../dashboard/index.ts';
import type { OperatorCall } from '../operator/operator-call.ts';

const TARGET = 'GraniteServiceVersion20100801.DescribeAlarms';
/** Of 50 alarms each. A deployment has some twenty. */
const MAX_PAGES = 5;

const STATES = { ALARM: 'alarm', OK: 'ok', INSUFFICIENT_DATA: 'no data' } as const;
const ORDER = Object.values(STATES);

const alarmsSchema = v.object({
  MetricAlarms: v.optional(
    v.array(
      v.object({
        AlarmName: v.string(),
        AlarmDescription: v.optional(v.string(), ''),
        /** Whom it notifies. */
        AlarmActions: v.optional(v.array(v.string()), []),
        StateValue: v.picklist(['ALARM', 'OK', 'INSUFFICIENT_DATA']),
        /** Seconds since 1970. */
        StateUpdatedTimestamp: v.number(),
      }),
    ),
    [],
  ),
  NextToken: v.optional(v.string()),
});

/** The section of the runbook that a description links. */
const SECTION = /#(?<section>[a-z-]+)$/u;

/** Reads the alarms of a stack, without those that only start and stop containers; those that fire come first. Free of charge. Rejects with AwsCallError. */
export async function readAlarms(call: OperatorCall, stack: string): Promise<AlarmRow[]> {
  const prefix = `${stack}-`;
  const rows: AlarmRow[] = [];
  let next: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const input = {
      AlarmNamePrefix: prefix,
      AlarmTypes: ['MetricAlarm'],
      ...(next !== undefined && { NextToken: next }),
    };
    const result = v.parse(alarmsSchema, await call('monitoring', TARGET, input));
    for (const alarm of result.MetricAlarms) {
      const name = alarm.AlarmName.slice(prefix.length);
      // The names of another stage may begin alike: `Parley-` and `Parley-test-`. A name begins with the section of the runbook; `release-fails` has one for each function.
      const section = SECTION.exec(alarm.AlarmDescription)?.groups?.['section'];
      if (section === undefined || !`${name}-`.startsWith(`${section}-`)) continue;
      const { AlarmDescription: meaning, AlarmActions, StateValue, StateUpdatedTimestamp } = alarm;
      const since = StateUpdatedTimestamp * 1_000;
      rows.push({ name, meaning, state: STATES[StateValue], since, isNotifying: AlarmActions.length > 0 });
    }
    next = result.NextToken;
    if (next === undefined) break;
  }
  return rows.toSorted(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.name.localeCompare(b.name),
  );
}
