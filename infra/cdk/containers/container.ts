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
import { bundleFile, type Entry, getEntryPath, PROJECT, type Thread } from '../bundle.ts';
import type { Use } from '../lambda-function.ts';

const ECS_TASKS = 'ecs-tasks.amazonaws.com';
/**
 * Public images, used unchanged, so neither synthesis nor deployment needs Docker. Pulled by digest, which covers all
 * architectures and cannot be changed; the tag documents the version. The Node version is the one that the tests use: update
 * both together (`docker buildx imagetools inspect REPOSITORY:TAG` prints the digest).
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
  /** Name of the container; in lower case, name of its volume and prefix of its log streams. */
  readonly name: string;
  readonly entry: Entry;
  readonly threads?: readonly Thread[];
  readonly uses: readonly Use[];
  readonly logGroup: ILogGroup;
  readonly memoryMb: 512 | 1024 | 2048;
  readonly nodeOptions: string;
  /** Time to end after SIGTERM (s), at most 120. */
  readonly stopSeconds: number;
  /** A process without a heartbeat for this long is replaced. */
  readonly staleMs: number;
  /** The local system starts it only with Discord. */
  readonly needsDiscord?: boolean;
};

/** Creates a small Arm container (a quarter vCPU) that runs a bundle on Node. It may use `uses`, write its log and read its bundle. */
export function createContainerTask(scope: Construct, props: ContainerProps) {
  // Created explicitly: the CDK's own role is created late, and may write all log streams of the account's groups.
  const executionRole = new Role(scope, 'ExecutionRole', { assumedBy: new ServicePrincipal(ECS_TASKS) });
  props.logGroup.grantWrite(executionRole);
  const files = createBundleFiles(scope, props);
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal(ECS_TASKS, {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  });
  for (const { allow } of props.uses) if (allow) role.addToPolicy(new PolicyStatement(allow));
  for (const { acknowledgements = [] } of props.uses) Validations.of(role).acknowledge(...acknowledgements);
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
    // For the local system: the files of the process.
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

type BundleFile = { readonly name: string; readonly id: string; readonly asset: Asset };

/** Each file is downloaded by an init container that ends before the main container starts. */
function addContainers(
  task: FargateTaskDefinition,
  props: ContainerProps,
  files: readonly BundleFile[],
): void {
  const volume = props.name.toLowerCase();
  const folder = `/${volume}`;
  const logging = LogDrivers.awsLogs({ logGroup: props.logGroup, streamPrefix: volume });
  const mount = { sourceVolume: volume, containerPath: folder, readOnly: false };
  const fetches: ContainerDefinition[] = files.map(({ id, name, asset }) => {
    const fetch = task.addContainer(`Fetch${id}`, {
      image: toContainerImage(IMAGES.awsCli),
      essential: false,
      command: ['s3', 'cp', '--no-progress', asset.s3ObjectUrl, `${folder}/${name}`],
      logging,
    });
    fetch.addMountPoints(mount);
    return fetch;
  });
  const health = `process.exit(Date.now()-require('node:fs').statSync('${folder}/alive').mtimeMs<${props.staleMs}?0:1)`;
  const main = task.addContainer(props.name, {
    image: toContainerImage(IMAGES.node),
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

/** ECS accepts a tag or a digest, not both. */
function toContainerImage({ repository, digest }: (typeof IMAGES)[keyof typeof IMAGES]): ContainerImage {
  return ContainerImage.fromRegistry(`${repository}@${digest}`);
}

const createBundleFiles = (scope: Construct, { entry, threads = [] }: ContainerProps): BundleFile[] => [
  { name: 'index.js', id: '', asset: createBundleAsset(scope, 'Bundle', getEntryPath(entry)) },
  ...threads.map((path) => {
    const name = basename(path, '.ts');
    const id = name.replaceAll(/(?:^|-)(\w)/gu, (_, letter: string) => letter.toUpperCase());
    return { name: `${name}.js`, id, asset: createBundleAsset(scope, `Bundle${id}`, path) };
  }),
];

/** An asset with a single file. */
function createBundleAsset(scope: Construct, id: string, path: string): Asset {
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
