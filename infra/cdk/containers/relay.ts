import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { createContainerTask } from './container.ts';
import { getLogGroupName, type Use } from '../lambda-function.ts';
import type { Parameters } from '../parameters/parameters.ts';
import { createRelayService } from './relay-service.ts';

const ENTRY = 'discord-gateway';

/**
 * The Discord relay: one small container in its own network without incoming connections, or several that share shards by
 * leases in the table. A single one uses no leases, so the old one ends before the new one starts; Discord buffers events in
 * between.
 */
export class RelayTask extends Construct {
  /** Counts log lines that say that the relay stopped or cannot start a session. */
  readonly stopped: IMetric;
  /** At least one while a task runs; no data otherwise. */
  readonly running: IMetric;
  constructor(scope: Construct, id: string, parameters: Parameters, commonUses: readonly Use[]) {
    super(scope, id);
    const uses = [...commonUses, parameters.use('DiscordRelayTasks')];
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: getLogGroupName(this, ENTRY),
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { task, executionRole } = createContainerTask(this, {
      name: 'Relay',
      entry: ENTRY,
      uses,
      logGroup,
      memoryMb: 512,
      // It stores little, so the heap is collected instead of grown.
      nodeOptions: '--max-old-space-size=64 --max-semi-space-size=2',
      // On SIGTERM it delivers pending events and saves its position.
      stopSeconds: 30,
      // Heartbeats are acknowledged every 41 s; after three missed ones there is no connection.
      staleMs: 130_000,
      needsDiscord: true,
    });
    this.stopped = new MetricFilter(this, 'Stopped', {
      logGroup,
      filterPattern: FilterPattern.any(
        FilterPattern.stringValue('$.event', '=', 'gateway.stopped'),
        FilterPattern.stringValue('$.event', '=', 'gateway.session-starts-low'),
        FilterPattern.stringValue('$.event', '=', 'gateway.identify-throttled'),
        FilterPattern.stringValue('$.event', '=', 'gateway.given-up'),
        FilterPattern.stringValue('$.event', '=', 'secret.missing'),
      ),
      metricNamespace: Stack.of(this).stackName,
      metricName: 'RelayStopped',
    }).metric({ period: Duration.minutes(5), statistic: 'Sum' });
    this.running = createRelayService(this, task, executionRole, parameters.number('DiscordRelayTasks'));
  }
}
