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
import { ENV } from '../../../shared/runtime/index.ts';
import { createContainerTask } from './container.ts';
import {
  createCluster,
  createContainerNetwork,
  createRunningTasksMetric,
  TASK_TAGS,
} from './container-network.ts';
import type { Use } from '../lambda-function.ts';

/** Fargate's maximum time for a task to end (s). */
const STOP_SECONDS = 120;
/** Time for unfinished tasks; the rest is for returning messages. */
const DRAIN_SECONDS = 100;
/** A receive waits 10 s and is retried after a failure: without one for this long, the queue is unreachable. */
const STALE_MS = 120_000;

type Props = {
  readonly uses: readonly Use[];
  /** The log group of the worker function, so that metric filters work for both. */
  readonly logGroup: ILogGroup;
  readonly tasks: Queue;
  /** Maximum number of tasks, at least one. */
  readonly maxTasks: number;
};

/**
 * The worker as a permanent process instead of a function; above some number of questions it costs less
 * (docs/deploying.md). Like the function, it passes large tasks and tasks that may crash to the large worker.
 */
export class WorkerService extends Construct {
  /** At least one while a task runs; no data otherwise. */
  readonly running: IMetric;

  constructor(scope: Construct, id: string, { uses, logGroup, tasks, maxTasks }: Props) {
    super(scope, id);
    const { task, executionRole } = createContainerTask(this, {
      name: 'Worker',
      entry: 'worker-service',
      threads: ['shared/task-queue/watchdog-thread.ts'],
      uses: [...uses, { env: { [ENV.drainSeconds]: String(DRAIN_SECONDS) } }],
      logGroup,
      // The minimum for a quarter vCPU.
      memoryMb: 512,
      nodeOptions: '--max-old-space-size=320',
      stopSeconds: STOP_SECONDS,
      staleMs: STALE_MS,
    });
    // The model server may use any port: see `UpstreamBaseUrl`.
    const egress = { fromPort: 1, toPort: 65_535, to: 'The models, the platforms and AWS' };
    const network = createContainerNetwork(this, egress);
    const cluster = createCluster(this);
    const service = new CfnService(this, 'Service', {
      cluster: cluster.attrArn,
      taskDefinition: task.taskDefinitionArn,
      launchType: 'FARGATE',
      // No desired count, so that a deployment keeps the scaled one.
      deploymentConfiguration: {
        // The new task receives questions before the old one finishes its own.
        minimumHealthyPercent: 100,
        maximumPercent: 200,
        deploymentCircuitBreaker: { enable: true, rollback: false },
      },
      networkConfiguration: network.networkConfiguration,
      propagateTags: TASK_TAGS,
    });
    // Before these exist, it can neither fetch its images nor write its log.
    service.node.addDependency(...network.ways, task.taskRole, executionRole);
    const stack = Stack.of(this);
    new CfnOutput(stack, 'WorkerCluster', { value: cluster.ref });
    new CfnOutput(stack, 'WorkerService', { value: service.attrName });
    this.scale(`service/${cluster.ref}/${service.attrName}`, tasks, maxTasks);
    this.running = createRunningTasksMetric(cluster, service);
  }

  /**
   * Scales by how long the oldest waiting question has waited. The age metric alone includes messages in progress, so a long
   * answer would start an idle worker.
   */
  private scale(resourceId: string, tasks: Queue, maxCapacity: number): void {
    const target = new CfnScalableTarget(this, 'Scaling', {
      serviceNamespace: 'ecs',
      scalableDimension: 'ecs:service:DesiredCount',
      resourceId,
      minCapacity: 1,
      maxCapacity,
    });
    const options = { period: Duration.minutes(1), statistic: Stats.MAXIMUM };
    const oldestWaiting = new MathExpression({
      // An empty queue has no age.
      expression: 'IF(visible > 0, FILL(age, 0), 0)',
      usingMetrics: {
        visible: tasks.metricApproximateNumberOfMessagesVisible(options),
        age: tasks.metricApproximateAgeOfOldestMessage(options),
      },
      label: 'oldest that waits (s)',
      period: options.period,
    });
    const scaleOut = this.createPolicy(target, 'More', 60, [
      { metricIntervalLowerBound: 0, metricIntervalUpperBound: 120, scalingAdjustment: 1 },
      { metricIntervalLowerBound: 120, scalingAdjustment: 2 },
    ]);
    this.createAlarm('WorkersNeeded', oldestWaiting, scaleOut, {
      meaning: 'Questions have waited for a worker for half a minute: one more is started.',
      threshold: 30,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    const scaleIn = this.createPolicy(target, 'Fewer', 300, [
      { metricIntervalUpperBound: 0, scalingAdjustment: -1 },
    ]);
    this.createAlarm('WorkersIdle', oldestWaiting, scaleIn, {
      meaning: 'No question has waited for a worker for a quarter of an hour: one is ended, down to one.',
      threshold: 5,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 15,
      // An unused queue has no data.
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  private createPolicy(
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

  private createAlarm(
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
      // It notifies nobody: one of the two is in state ALARM most of the time.
      alarmDescription: `${meaning} No action is needed, and nobody is notified: docs/runbook.md#worker-scales`,
      ...rule,
    });
    alarm.addAlarmAction({ bind: () => ({ alarmActionArn }) });
  }
}
