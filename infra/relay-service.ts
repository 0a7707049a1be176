import { CfnCondition, CfnOutput, Duration, Fn, Stack, Token, Validations } from 'aws-cdk-lib';
import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  CfnInternetGateway,
  CfnRoute,
  CfnRouteTable,
  CfnSecurityGroup,
  CfnSubnet,
  CfnSubnetRouteTableAssociation,
  CfnVPC,
  CfnVPCGatewayAttachment,
} from 'aws-cdk-lib/aws-ec2';
import { CfnCluster, CfnService, type TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

const NETWORK = '10.0.0.0/24';
const SUBNETS = ['10.0.0.0/26', '10.0.0.64/26'] as const;
const ANYWHERE = '0.0.0.0/0';

/**
 * Runs one task, or several, in a network of its own: out goes HTTPS, nothing comes in. It has a public address because a NAT gateway would
 * cost three times as much as the task. The metric counts what ECS hears of a task that runs: of none, it hears nothing.
 */
export function relayService(
  scope: Construct,
  task: TaskDefinition,
  executionRole: Role,
  tasks: number,
): IMetric {
  const { subnets, group, ways } = network(scope);
  const cluster = new CfnCluster(scope, 'Cluster');
  acknowledge(cluster, 'AwsSolutions-ECS4', 'One task, whose own log and alarms say whether it works.');
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
    networkConfiguration: {
      awsvpcConfiguration: { assignPublicIp: 'ENABLED', subnets, securityGroups: [group] },
    },
  });
  // It can fetch its images and write its log from the first try on.
  service.node.addDependency(...ways, task.taskRole, executionRole);
  const stack = Stack.of(scope);
  new CfnOutput(stack, 'RelayCluster', { value: cluster.ref });
  new CfnOutput(stack, 'RelayService', { value: service.attrName });
  return new Metric({
    namespace: 'AWS/ECS',
    metricName: 'CPUUtilization',
    dimensionsMap: { ClusterName: cluster.ref, ServiceName: service.attrName },
    statistic: Stats.SAMPLE_COUNT,
    period: Duration.minutes(5),
  });
}

function network(scope: Construct) {
  const vpc = new CfnVPC(scope, 'Network', { cidrBlock: NETWORK, enableDnsHostnames: true });
  acknowledge(
    vpc,
    'AwsSolutions-VPC7',
    'One task that calls out over TLS, and that nothing can reach: there is no traffic to look into.',
  );
  const vpcId = vpc.attrVpcId;
  const gateway = new CfnInternetGateway(scope, 'Door');
  const attached = new CfnVPCGatewayAttachment(scope, 'DoorOfNetwork', {
    vpcId,
    internetGatewayId: gateway.attrInternetGatewayId,
  });
  const table = new CfnRouteTable(scope, 'Routes', { vpcId });
  const route = new CfnRoute(scope, 'RouteOut', {
    routeTableId: table.attrRouteTableId,
    destinationCidrBlock: ANYWHERE,
    gatewayId: gateway.attrInternetGatewayId,
  });
  route.node.addDependency(attached);
  const ways: Construct[] = [route];
  const subnets = SUBNETS.map((cidrBlock, i) => {
    const availabilityZone = Fn.select(i, Fn.getAzs());
    const subnet = new CfnSubnet(scope, `Subnet${i}`, { vpcId, cidrBlock, availabilityZone });
    const association = { subnetId: subnet.attrSubnetId, routeTableId: table.attrRouteTableId };
    ways.push(new CfnSubnetRouteTableAssociation(scope, `RoutesOfSubnet${i}`, association));
    return subnet.attrSubnetId;
  });
  const group = new CfnSecurityGroup(scope, 'Out', {
    vpcId,
    groupDescription: 'Nothing comes in; out goes HTTPS',
    securityGroupEgress: [
      { ipProtocol: 'tcp', fromPort: 443, toPort: 443, cidrIp: ANYWHERE, description: 'Discord and AWS' },
    ],
  });
  return { subnets, group: group.attrGroupId, ways };
}

function acknowledge(construct: Construct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}
