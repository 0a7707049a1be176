import { AssetHashType, BundlingOutput, DockerImage, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  CfnTaskDefinition,
  ContainerDependencyCondition,
  ContainerImage,
  CpuArchitecture,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { join } from 'node:path';
import { bundle, PROJECT } from './bundle.ts';
import { logsName, type Use } from './handler.ts';
import type { Parameters } from './parameters.ts';
import { relayService } from './relay-service.ts';

const ENTRY = 'discord-gateway';
const TASKS_OF_ECS = new ServicePrincipal('ecs-tasks.amazonaws.com');
/**
 * Public images, taken as they are: neither the synthesis nor the deployment needs Docker. Pulled by digest, which names the image for all
 * architectures and cannot be moved; the tag says what that is. Node is the version of the project, on which the tests run: who changes one
 * changes the other (`docker buildx imagetools inspect REPOSITORY:TAG` prints the digest).
 */
export const IMAGES = {
  node: {
    repository: 'public.ecr.aws/docker/library/node',
    tag: '24.21.0-bookworm-slim',
    digest: 'sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6',
  },
  awsCli: {
    repository: 'public.ecr.aws/aws-cli/aws-cli',
    tag: '2.37.0',
    digest: 'sha256:337494c2047176fe9abcf45a5d1eaf1c2c62cae40953284fb1143b5c6170f065',
  },
} as const;
const VOLUME = '/relay';
/** Heartbeats are acknowledged every 41 s; whoever missed three of them is not connected. */
const STALE_MS = 130_000;
const HEALTH = `process.exit(Date.now()-require('node:fs').statSync('${VOLUME}/alive').mtimeMs<${STALE_MS}?0:1)`;

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
    const code = bundled(this);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: logsName(this, ENTRY),
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Made here because the one that the CDK makes is made late, and may write all streams of the account's groups.
    const executionRole = new Role(this, 'ExecutionRole', { assumedBy: TASKS_OF_ECS });
    logGroup.grantWrite(executionRole);
    const task = this.task(code, logGroup, executionRole, uses);
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

  private task(
    code: Asset,
    logGroup: LogGroup,
    executionRole: Role,
    uses: readonly Use[],
  ): FargateTaskDefinition {
    const role = new Role(this, 'Role', { assumedBy: TASKS_OF_ECS });
    for (const { allow } of uses) if (allow) role.addToPolicy(new PolicyStatement(allow));
    const object = `${code.bucket.bucketArn}/${code.s3ObjectKey}`;
    role.addToPolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: [object] }));
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: 256,
      memoryLimitMiB: 512,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole: role,
      executionRole: executionRole.withoutPolicyUpdates(),
      volumes: [{ name: 'relay' }],
    });
    const logging = LogDrivers.awsLogs({ logGroup, streamPrefix: 'relay' });
    const mount = { sourceVolume: 'relay', containerPath: VOLUME, readOnly: false };
    const fetch = task.addContainer('Fetch', {
      image: publicImage(IMAGES.awsCli),
      essential: false,
      command: ['s3', 'cp', '--no-progress', code.s3ObjectUrl, `${VOLUME}/index.js`],
      logging,
    });
    fetch.addMountPoints(mount);
    const relay = task.addContainer('Relay', {
      image: publicImage(IMAGES.node),
      command: ['node', 'index.js'],
      workingDirectory: VOLUME,
      environment: {
        AWS_REGION: Stack.of(this).region,
        // What it holds is small and short-lived: the heap is collected rather than grown.
        NODE_OPTIONS: '--max-old-space-size=64 --max-semi-space-size=2',
        ...Object.fromEntries(uses.flatMap(({ env }) => Object.entries(env ?? {}))),
      },
      readonlyRootFilesystem: true,
      // Ended by SIGTERM, it hands over what is on its way and saves where it got to.
      stopTimeout: Duration.seconds(30),
      healthCheck: {
        command: ['CMD', 'node', '-e', HEALTH],
        interval: Duration.seconds(30),
        startPeriod: Duration.seconds(180),
      },
      logging,
    });
    relay.addMountPoints(mount);
    relay.addContainerDependencies({ container: fetch, condition: ContainerDependencyCondition.SUCCESS });
    const resource = task.node.defaultChild;
    // Tells the local engine what runs in it.
    if (resource instanceof CfnTaskDefinition) resource.addMetadata('parley:process', code.s3ObjectKey);
    acknowledge(
      task,
      'AwsSolutions-ECS2',
      'The variables hold names, addresses and choices; secrets are read by their name.',
    );
    return task;
  }
}

/** ECS takes a tag or a digest, not both. */
function publicImage({ repository, digest }: (typeof IMAGES)[keyof typeof IMAGES]): ContainerImage {
  return ContainerImage.fromRegistry(`${repository}@${digest}`);
}

function acknowledge(construct: Construct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}

/** One file, which a container fetches as it is. */
function bundled(scope: Construct): Asset {
  return new Asset(scope, 'Bundle', {
    path: join(PROJECT, 'functions'),
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('unused'),
      command: [ENTRY],
      outputType: BundlingOutput.SINGLE_FILE,
      local: {
        tryBundle(outputDir) {
          bundle(ENTRY, join(outputDir, 'index.js'));
          return true;
        },
      },
    },
  });
}
