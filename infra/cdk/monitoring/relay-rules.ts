import type { Stack } from 'aws-cdk-lib';
import { type AlarmRule, createOwnMetric } from '../alarm-rule.ts';
import type { RelayTask } from '../containers/relay.ts';

/** Alarms of the Discord relay; none without it. */
export function createRelayRules(stack: Stack, relay: RelayTask | undefined): readonly AlarmRule[] {
  if (!relay) return [];
  return [
    {
      id: 'RelayStopped',
      anchor: 'relay-stopped',
      meaning: 'The Discord relay has stopped for good, or starts no session.',
      metric: relay.stopped,
      threshold: 1,
      periods: 1,
    },
    {
      id: 'RelayGone',
      anchor: 'relay-gone',
      meaning: 'No task of the relay runs: mentions and direct messages in Discord wait.',
      metric: relay.running,
      threshold: 1,
      periods: 2,
      firesWhenMissing: true,
    },
    {
      id: 'RelaySilent',
      anchor: 'relay-silent',
      meaning: 'The relay may run, but Discord has acknowledged no heartbeat for ten minutes.',
      metric: createOwnMetric(stack, 'RelayHeartbeat', 'Sum'),
      threshold: 1,
      periods: 2,
      firesWhenMissing: true,
    },
  ];
}
