import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { CfnScalableTarget, CfnScalingPolicy } from 'aws-cdk-lib/aws-applicationautoscaling';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { CfnService } from 'aws-cdk-lib/aws-ecs';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENV } from '../../../shared/runtime/shared-names.ts';
import { containerTask } from './container.ts';
import { clusterOf, containerNetwork, runningTasks } from './container-network.ts';
import type { Use } from '../lambda-function.ts';

/** What Fargate gives a task to end at most (s). */
const STOP_SECONDS = 120;
/** What of it tasks may use; the rest is for handing back. */
const DRAIN_SECONDS = 100;
/** A receive waits 10 s and is tried again after a failure: who has not received for so long reaches no queue. */
const STALE_MS = 120_000;

type Props = {
  readonly uses: readonly Use[];
  /** The log of the worker, whichever way it runs: all that looks there finds it. */
  readonly logGroup: ILogGroup;
  readonly tasks: Queue;
  /** How many run at a time at most; one at least. */
  readonly maxTasks: number;
};

/**
 * The worker as a process that lives on, in place of the function: from so many questions on it costs less (docs/deploying.md). It does what the function
 * does: tasks that are large or may crash go to the large worker.
 */
export class WorkerService extends Construct {
  /** At least one while a task runs; missing while none does. */
  readonly running: IMetric;

  constructor(scope: Construct, id: string, { uses, logGroup, tasks, maxTasks }: Props) {
    super(scope, id);
    const { task, executionRole } = containerTask(this, {
      name: 'Worker',
      entry: 'worker-service',
      threads: ['shared/task-queue/watchdog-thread.ts'],
      uses: [...uses, { env: { [ENV.drainSeconds]: String(DRAIN_SECONDS) } }],
      logGroup,
      // The least that goes with a quarter of a processor.
      memoryMb: 512,
      nodeOptions: '--max-old-space-size=320',
      stopSeconds: STOP_SECONDS,
      staleMs: STALE_MS,
    });
    // The models are wherever `UpstreamBaseUrl` says.
    const egress = { fromPort: 1, toPort: 65_535, to: 'The models, the platforms and AWS' };
    const network = containerNetwork(this, egress);
    const cluster = clusterOf(this);
    const service = new CfnService(this, 'Service', {
      cluster: cluster.attrArn,
      taskDefinition: task.taskDefinitionArn,
      launchType: 'FARGATE',
      // No count: a deployment leaves it as it was scaled.
      deploymentConfiguration: {
        // The new one takes questions before the old one ends what it has begun.
        minimumHealthyPercent: 100,
        maximumPercent: 200,
        deploymentCircuitBreaker: { enable: true, rollback: false },
      },
      networkConfiguration: network.networkConfiguration,
    });
    // It can fetch its images and write its log from the first try on.
    service.node.addDependency(...network.ways, task.taskRole, executionRole);
    const stack = Stack.of(this);
    new CfnOutput(stack, 'WorkerCluster', { value: cluster.ref });
    new CfnOutput(stack, 'WorkerService', { value: service.attrName });
    this.scale(`service/${cluster.ref}/${service.attrName}`, tasks, maxTasks);
    this.running = runningTasks(cluster, service);
  }

  /**
   * By how long the oldest question has waited, where any waits. Alone, the age of the oldest message counts those being answered too: a long answer would
   * start a worker that has nothing to do.
   */
  private scale(resourceId: string, tasks: Queue, maxCapacity: number): void {
    const target = new CfnScalableTarget(this, 'Scaling', {
      serviceNamespace: 'ecs',
      scalableDimension: 'ecs:service:DesiredCount',
      resourceId,
      minCapacity: 1,
      maxCapacity,
    });
    const one = { period: Duration.minutes(1), statistic: Stats.MAXIMUM };
    const waiting = new MathExpression({
      // Of an empty queue there is no age.
      expression: 'IF(visible > 0, FILL(age, 0), 0)',
      usingMetrics: {
        visible: tasks.metricApproximateNumberOfMessagesVisible(one),
        age: tasks.metricApproximateAgeOfOldestMessage(one),
      },
      label: 'oldest that waits (s)',
      period: one.period,
    });
    const add = this.policy(target, 'More', 60, [
      { metricIntervalLowerBound: 0, metricIntervalUpperBound: 120, scalingAdjustment: 1 },
      { metricIntervalLowerBound: 120, scalingAdjustment: 2 },
    ]);
    this.alarm('WorkersNeeded', waiting, add, {
      meaning: 'Questions wait for a worker for half a minute: one more is started.',
      threshold: 30,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    const remove = this.policy(target, 'Fewer', 300, [
      { metricIntervalUpperBound: 0, scalingAdjustment: -1 },
    ]);
    this.alarm('WorkersIdle', waiting, remove, {
      meaning: 'No question has waited for a worker for a quarter of an hour: one is ended, down to one.',
      threshold: 5,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 15,
      // Of a queue that nobody uses nothing is measured.
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  private policy(
    target: CfnScalableTarget,
    id: string,
    cooldown: number,
    stepAdjustments: CfnScalingPolicy.StepAdjustmentProperty[],
  ): CfnScalingPolicy {
    return new CfnScalingPolicy(this, id, {
      policyName: `${Stack.of(this).stackName}-worker-${id.toLowerCase()}`,
      policyType: 'StepScaling',
      scalingTargetId: target.ref,
      stepScalingPolicyConfiguration: {
        adjustmentType: 'ChangeInCapacity',
        cooldown,
        metricAggregationType: 'Maximum',
        stepAdjustments,
      },
    });
  }

  private alarm(
    id: string,
    metric: IMetric,
    { ref: alarmActionArn }: CfnScalingPolicy,
    {
      meaning,
      ...rule
    }: {
      readonly meaning: string;
      readonly threshold: number;
      readonly comparisonOperator: ComparisonOperator;
      readonly evaluationPeriods: number;
      readonly treatMissingData: TreatMissingData;
    },
  ): void {
    const alarm = new Alarm(this, id, {
      metric,
      alarmDescription: `${meaning} Nothing is to be done: docs/runbook.md#worker-scales`,
      ...rule,
    });
    alarm.addAlarmAction({ bind: () => ({ alarmActionArn }) });
  }
}
