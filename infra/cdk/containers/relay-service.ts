import { CfnCondition, CfnOutput, Fn, Stack, Token } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnService, type TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import {
  createCluster,
  createContainerNetwork,
  createRunningTasksMetric,
  TASK_TAGS,
} from './container-network.ts';

/** Runs one or several tasks in their own network. The metric has no data while none runs. */
export function createRelayService(
  scope: Construct,
  task: TaskDefinition,
  executionRole: Role,
  tasks: number,
): IMetric {
  const network = createContainerNetwork(scope, { fromPort: 443, toPort: 443, to: 'Discord and AWS' });
  const cluster = createCluster(scope);
  const isSingle = new CfnCondition(scope, 'Alone', { expression: Fn.conditionEquals(tasks, 1) });
  const service = new CfnService(scope, 'Service', {
    cluster: cluster.attrArn,
    taskDefinition: task.taskDefinitionArn,
    launchType: 'FARGATE',
    desiredCount: tasks,
    // A single task must not overlap with a second one, which would repeat its work, so the old one ends first. Several tasks
    // share shards by leases: half of them continue, with the shards of the others.
    deploymentConfiguration: {
      minimumHealthyPercent: Token.asNumber(Fn.conditionIf(isSingle.logicalId, 0, 50)),
      maximumPercent: 100,
      deploymentCircuitBreaker: { enable: true, rollback: false },
    },
    networkConfiguration: network.networkConfiguration,
    propagateTags: TASK_TAGS,
  });
  // Before these exist, it can neither fetch its images nor write its log.
  service.node.addDependency(...network.ways, task.taskRole, executionRole);
  const stack = Stack.of(scope);
  new CfnOutput(stack, 'RelayCluster', { value: cluster.ref });
  new CfnOutput(stack, 'RelayService', { value: service.attrName });
  return createRunningTasksMetric(cluster, service);
}
