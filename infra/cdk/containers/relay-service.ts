import { CfnCondition, CfnOutput, Fn, Stack, Token } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnService, type TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { clusterOf, containerNetwork, runningTasks } from './container-network.ts';

/** Runs one task, or several, in a network of its own. The metric is missing while none runs. */
export function relayService(
  scope: Construct,
  task: TaskDefinition,
  executionRole: Role,
  tasks: number,
): IMetric {
  const network = containerNetwork(scope, { fromPort: 443, toPort: 443, to: 'Discord and AWS' });
  const cluster = clusterOf(scope);
  const alone = new CfnCondition(scope, 'Alone', { expression: Fn.conditionEquals(tasks, 1) });
  const service = new CfnService(scope, 'Service', {
    cluster: cluster.attrArn,
    taskDefinition: task.taskDefinitionArn,
    launchType: 'FARGATE',
    desiredCount: tasks,
    // A second task beside one that is alone would do everything twice: the old one ends before the new one begins. Of several, which
    // share by leases, half go on with the shards of the others meanwhile.
    deploymentConfiguration: {
      minimumHealthyPercent: Token.asNumber(Fn.conditionIf(alone.logicalId, 0, 50)),
      maximumPercent: 100,
      deploymentCircuitBreaker: { enable: true, rollback: false },
    },
    networkConfiguration: network.networkConfiguration,
  });
  // It can fetch its images and write its log from the first try on.
  service.node.addDependency(...network.ways, task.taskRole, executionRole);
  const stack = Stack.of(scope);
  new CfnOutput(stack, 'RelayCluster', { value: cluster.ref });
  new CfnOutput(stack, 'RelayService', { value: service.attrName });
  return runningTasks(cluster, service);
}
