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
import { five } from '../monitoring/alarm-rule.ts';

const NETWORK = '10.0.0.0/24';
const SUBNETS = ['10.0.0.0/26', '10.0.0.64/26'] as const;
const ANYWHERE = '0.0.0.0/0';

/** What goes out, to whom. */
type Egress = { readonly fromPort: number; readonly toPort: number; readonly to: string };

/**
 * A network of its own for containers: they call out, and nothing comes in. They have public addresses because a NAT gateway would cost more than they do.
 * `ways`: without them, a container cannot fetch its image.
 */
export function containerNetwork(scope: Construct, egress: Egress) {
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

/** Where the tasks of one service run. */
export function clusterOf(scope: Construct): CfnCluster {
  const cluster = new CfnCluster(scope, 'Cluster');
  acknowledge(cluster, 'AwsSolutions-ECS4', 'One service, whose own log and alarms say whether it works.');
  return cluster;
}

/** Counts what ECS hears of tasks that run: of none, it hears nothing. */
export const runningTasks = (cluster: CfnCluster, service: CfnService): Metric =>
  new Metric({
    namespace: 'AWS/ECS',
    metricName: 'CPUUtilization',
    dimensionsMap: { ClusterName: cluster.ref, ServiceName: service.attrName },
    statistic: Stats.SAMPLE_COUNT,
    period: five.period,
  });

function acknowledge(construct: Construct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}
