import { AssetHashType, BundlingOutput, DockerImage, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  CfnTaskDefinition,
  type ContainerDefinition,
  ContainerDependencyCondition,
  ContainerImage,
  CpuArchitecture,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Construct } from 'constructs';
import { basename, join } from 'node:path';
import { bundleFile, type Entry, pathOf, PROJECT, type Thread } from '../bundle.ts';
import type { Use } from '../lambda-function.ts';

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

type ContainerProps = {
  /** Names the container; in small letters its volume, and its streams of the log. */
  readonly name: string;
  readonly entry: Entry;
  readonly threads?: readonly Thread[];
  readonly uses: readonly Use[];
  readonly logGroup: ILogGroup;
  readonly memoryMb: 512 | 1024 | 2048;
  readonly nodeOptions: string;
  /** How long it may take to end once it is told to (s): 120 at most. */
  readonly stopSeconds: number;
  /** A process that did not say for so long that it lives is replaced. */
  readonly staleMs: number;
  /** Started by the local system only where it has Discord. */
  readonly needsDiscord?: boolean;
};

/** One small container that runs a bundle on Node, on Arm: a quarter of a processor. It may do what `uses` name, write its log, and read its bundle. */
export function containerTask(scope: Construct, props: ContainerProps) {
  // Made here because the one that the CDK makes is made late, and may write all streams of the account's groups.
  const executionRole = new Role(scope, 'ExecutionRole', { assumedBy: TASKS_OF_ECS });
  props.logGroup.grantWrite(executionRole);
  const files = filesOf(scope, props);
  const role = new Role(scope, 'Role', { assumedBy: TASKS_OF_ECS });
  for (const { allow } of props.uses) if (allow) role.addToPolicy(new PolicyStatement(allow));
  for (const { but = [] } of props.uses) Validations.of(role).acknowledge(...but);
  const resources = files.map(({ asset }) => `${asset.bucket.bucketArn}/${asset.s3ObjectKey}`);
  role.addToPolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources }));
  const task = new FargateTaskDefinition(scope, 'Task', {
    cpu: 256,
    memoryLimitMiB: props.memoryMb,
    runtimePlatform: {
      cpuArchitecture: CpuArchitecture.ARM64,
      operatingSystemFamily: OperatingSystemFamily.LINUX,
    },
    taskRole: role,
    executionRole: executionRole.withoutPolicyUpdates(),
    volumes: [{ name: props.name.toLowerCase() }],
  });
  addContainers(task, props, files);
  const resource = task.node.defaultChild;
  if (resource instanceof CfnTaskDefinition) {
    // Tells the local engine what runs in it.
    const keys = files.map(({ name, asset }) => [name, asset.s3ObjectKey]);
    resource.addMetadata('parley:process', Object.fromEntries(keys));
    if (props.needsDiscord) resource.addMetadata('parley:needs', 'discord');
  }
  Validations.of(task).acknowledge({
    id: 'AwsSolutions-ECS2',
    reason: 'The variables hold names, addresses and choices; secrets are read by their name.',
  });
  return { task, executionRole };
}

type File = { readonly name: string; readonly id: string; readonly asset: Asset };

/** Each file is fetched by a container of its own, which ends before the one that runs begins. */
function addContainers(task: FargateTaskDefinition, props: ContainerProps, files: readonly File[]): void {
  const volume = props.name.toLowerCase();
  const folder = `/${volume}`;
  const logging = LogDrivers.awsLogs({ logGroup: props.logGroup, streamPrefix: volume });
  const mount = { sourceVolume: volume, containerPath: folder, readOnly: false };
  const fetches: ContainerDefinition[] = files.map(({ id, name, asset }) => {
    const fetch = task.addContainer(`Fetch${id}`, {
      image: publicImage(IMAGES.awsCli),
      essential: false,
      command: ['s3', 'cp', '--no-progress', asset.s3ObjectUrl, `${folder}/${name}`],
      logging,
    });
    fetch.addMountPoints(mount);
    return fetch;
  });
  const health = `process.exit(Date.now()-require('node:fs').statSync('${folder}/alive').mtimeMs<${props.staleMs}?0:1)`;
  const main = task.addContainer(props.name, {
    image: publicImage(IMAGES.node),
    command: ['node', 'index.js'],
    workingDirectory: folder,
    environment: {
      AWS_REGION: Stack.of(task).region,
      NODE_OPTIONS: props.nodeOptions,
      ...Object.fromEntries(props.uses.flatMap(({ env }) => Object.entries(env ?? {}))),
    },
    readonlyRootFilesystem: true,
    stopTimeout: Duration.seconds(props.stopSeconds),
    healthCheck: {
      command: ['CMD', 'node', '-e', health],
      interval: Duration.seconds(30),
      startPeriod: Duration.seconds(180),
    },
    logging,
  });
  main.addMountPoints(mount);
  for (const container of fetches)
    main.addContainerDependencies({ container, condition: ContainerDependencyCondition.SUCCESS });
}

/** ECS takes a tag or a digest, not both. */
function publicImage({ repository, digest }: (typeof IMAGES)[keyof typeof IMAGES]): ContainerImage {
  return ContainerImage.fromRegistry(`${repository}@${digest}`);
}

const filesOf = (scope: Construct, { entry, threads = [] }: ContainerProps): File[] => [
  { name: 'index.js', id: '', asset: bundled(scope, 'Bundle', pathOf(entry)) },
  ...threads.map((path) => {
    const name = basename(path, '.ts');
    const id = name.replaceAll(/(?:^|-)(\w)/gu, (_, letter: string) => letter.toUpperCase());
    return { name: `${name}.js`, id, asset: bundled(scope, `Bundle${id}`, path) };
  }),
];

/** One file, which a container fetches as it is. */
function bundled(scope: Construct, id: string, path: string): Asset {
  return new Asset(scope, id, {
    path: join(PROJECT, 'functions'),
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('unused'),
      command: [path],
      outputType: BundlingOutput.SINGLE_FILE,
      local: {
        tryBundle(outputDir) {
          bundleFile(path, join(outputDir, 'index.js'));
          return true;
        },
      },
    },
  });
}
