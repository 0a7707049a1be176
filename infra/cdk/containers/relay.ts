import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { containerTask } from './container.ts';
import { logsName, type Use } from '../lambda-function.ts';
import type { Parameters } from '../parameters.ts';
import { relayService } from './relay-service.ts';

const ENTRY = 'discord-gateway';

/**
 * The relay: one small container, in a network of its own that nothing can reach, or several that share its shards by leases in the
 * table. One alone has none: a second would do everything twice, so the old one ends before the new one begins; Discord holds what
 * happens in between.
 */
export class RelayTask extends Construct {
  /** Counts lines that say that it has stopped for good, or begins no session. */
  readonly stopped: IMetric;
  /** At least one while a task runs; missing while none does. */
  readonly running: IMetric;
  constructor(scope: Construct, id: string, parameters: Parameters, given: readonly Use[]) {
    super(scope, id);
    const uses = [...given, parameters.use('DiscordRelayTasks')];
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: logsName(this, ENTRY),
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { task, executionRole } = containerTask(this, {
      name: 'Relay',
      entry: ENTRY,
      uses,
      logGroup,
      memoryMb: 512,
      // What it holds is small and short-lived: the heap is collected rather than grown.
      nodeOptions: '--max-old-space-size=64 --max-semi-space-size=2',
      // Ended by SIGTERM, it hands over what is on its way and saves where it got to.
      stopSeconds: 30,
      // Heartbeats are acknowledged every 41 s; whoever missed three of them is not connected.
      staleMs: 130_000,
      needsDiscord: true,
    });
    this.stopped = new MetricFilter(this, 'Stopped', {
      logGroup,
      filterPattern: FilterPattern.any(
        FilterPattern.stringValue('$.event', '=', 'gateway.stopped'),
        FilterPattern.stringValue('$.event', '=', 'gateway.budget'),
        FilterPattern.stringValue('$.event', '=', 'gateway.restless'),
        FilterPattern.stringValue('$.event', '=', 'gateway.given-up'),
        FilterPattern.stringValue('$.event', '=', 'secret.missing'),
      ),
      metricNamespace: Stack.of(this).stackName,
      metricName: 'RelayStopped',
    }).metric({ period: Duration.minutes(5), statistic: 'Sum' });
    this.running = relayService(this, task, executionRole, parameters.number('DiscordRelayTasks'));
  }
}
