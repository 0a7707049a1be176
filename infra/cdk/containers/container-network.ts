import { Fn, Validations } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
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
import { CfnCluster, type CfnService } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';
import { FIVE_MINUTE_SUM } from '../alarm-rule.ts';

const NETWORK = '10.0.0.0/24';
const SUBNETS = ['10.0.0.0/26', '10.0.0.64/26'] as const;
const ANYWHERE = '0.0.0.0/0';

/** Allowed outgoing ports; `to` describes the destinations. */
type Egress = { readonly fromPort: number; readonly toPort: number; readonly to: string };

/**
 * Creates a network for containers with outgoing connections only. Containers have public addresses, because a NAT gateway
 * would cost more than they do. A container cannot fetch its image before `ways` exist.
 */
export function createContainerNetwork(scope: Construct, egress: Egress) {
  const vpc = new CfnVPC(scope, 'Network', { cidrBlock: NETWORK, enableDnsHostnames: true });
  acknowledge(
    vpc,
    'AwsSolutions-VPC7',
    'Containers that call out over TLS, and that nothing can reach: there is no traffic to look into.',
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
  const { to: description, ...ports } = egress;
  const group = new CfnSecurityGroup(scope, 'Out', {
    vpcId,
    groupDescription: 'Nothing comes in; out goes HTTPS',
    securityGroupEgress: [{ ipProtocol: 'tcp', ...ports, cidrIp: ANYWHERE, description }],
  });
  const awsvpcConfiguration = {
    assignPublicIp: 'ENABLED',
    subnets,
    securityGroups: [group.attrGroupId],
  };
  return { networkConfiguration: { awsvpcConfiguration }, ways };
}

/** Tasks get the tags of their service, which CloudFormation takes from the stack. By default they have none, so that their cost has none either. */
export const TASK_TAGS = 'SERVICE';

/** Creates a cluster for the tasks of one service. */
export function createCluster(scope: Construct): CfnCluster {
  const cluster = new CfnCluster(scope, 'Cluster');
  acknowledge(cluster, 'AwsSolutions-ECS4', 'One service, whose own log and alarms say whether it works.');
  return cluster;
}

/** Counts CPU samples of running tasks; without a running task there is no data. */
export const createRunningTasksMetric = (cluster: CfnCluster, service: CfnService): Metric =>
  new Metric({
    namespace: 'AWS/ECS',
    metricName: 'CPUUtilization',
    dimensionsMap: { ClusterName: cluster.ref, ServiceName: service.attrName },
    statistic: Stats.SAMPLE_COUNT,
    period: FIVE_MINUTE_SUM.period,
  });

function acknowledge(construct: Construct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}
