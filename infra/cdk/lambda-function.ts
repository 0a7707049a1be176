import { AssetHashType, DockerImage, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as Lambda,
  type IFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle, bundleFile, PROJECT } from './bundle.ts';
import { readContextOptions } from './context-options.ts';
import { deployGradually } from './monitoring/gradual-deployment.ts';
import { X_RAY_ACKNOWLEDGEMENTS } from './monitoring/tracing.ts';
import type { Entry, Thread } from './bundle.ts';

/** A resource that a function may use: the variables that name it, and the permission. */
export type Use = {
  readonly env?: Readonly<Record<string, string>>;
  readonly allow?: {
    readonly actions: string[];
    readonly resources: string[];
    /** Conditions of the IAM policy statement. */
    readonly conditions?: Record<string, Record<string, string>>;
  };
  /** cdk-nag rules that the permission violates, with the reason. */
  readonly acknowledgements?: readonly { readonly id: string; readonly reason: string }[];
};

type FunctionProps = {
  /** The file in `functions/`, without its extension. */
  readonly entry: Entry;
  readonly description: string;
  /** Its name, if others find it by that. Without one, CloudFormation chooses it. */
  readonly name?: string;
  readonly timeout: Duration;
  readonly memory?: number;
  /** Entry files of its worker threads, bundled into the same folder. */
  readonly threads?: readonly Thread[];
  /** The last part of the name of its log group; `entry` without one. */
  readonly logName?: string;
  /** Whether the bundle exports a promise `ready` that must resolve before the first event. */
  readonly awaitsReady?: boolean;
  /** V8 flags set before the bundle is loaded. Lambda's own heap flags override those in NODE_OPTIONS. */
  readonly v8Flags?: readonly string[];
  readonly uses: readonly Use[];
  /** Whether Lambda reports its invocations to X-Ray when tracing is on: for functions at the start of a trace. */
  readonly isTraceStart?: boolean;
  /**
   * Lambda's own log lines of each invocation (`platform.start` and `platform.report`, about 450 bytes). `failures`: only
   * those of invocations that failed or timed out (Lambda, "System log level event mapping"), for functions that are called
   * often and whose duration and memory are of no interest.
   */
  readonly invocationLog?: 'all' | 'failures';
  /** The reserved concurrency of the function: it runs at most this often at a time, and the account keeps as much free for it. */
  readonly reservedConcurrency?: number | undefined;
  /**
   * Whether it sends messages to queues that invoke it: a long task continues in further messages. Lambda would take more than sixteen for an endless loop, and
   * stop them (Lambda, "Use Lambda recursive loop detection to prevent infinite loops"). All tasks have limits of their own, except an erasure: `dead-letters` queues it again until
   * it succeeds.
   */
  readonly sendsToItself?: true;
  /** False: new versions are always deployed at once. */
  readonly gradual?: boolean;
};

/**
 * A function with common settings: Node 24 on Arm, a log group with 30 days of retention, and a role that may only write
 * this log and use `uses`.
 */
export class LambdaFunction extends Construct {
  readonly lambda: Lambda;
  /** The function to invoke, or its alias for gradual deployment. */
  readonly target: IFunction;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: getLogGroupName(this, props.logName ?? props.entry),
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not AWSLambdaBasicExecutionRole: that policy may write every log group of the account.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    for (const { allow } of props.uses) if (allow) role.addToPolicy(new PolicyStatement(allow));
    const { alarmTopic, gradual, tracing } = readContextOptions((key): unknown =>
      this.node.tryGetContext(key),
    );
    const isTracingActive = tracing && props.isTraceStart === true;
    for (const { acknowledgements = [] } of props.uses) Validations.of(role).acknowledge(...acknowledgements);
    if (isTracingActive) Validations.of(role).acknowledge(...X_RAY_ACKNOWLEDGEMENTS);
    this.lambda = new Lambda(this, 'Function', {
      description: props.description,
      ...(props.name !== undefined && { functionName: props.name }),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memory ?? 256,
      timeout: props.timeout,
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      handler: props.awaitsReady ? 'start.handler' : 'index.handler',
      code: createCode(props),
      environment: Object.fromEntries(props.uses.flatMap((use) => Object.entries(use.env ?? {}))),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // The functions filter by `LogLevel`. Lambda would drop lines below INFO (Lambda, "Log-level filtering"), so that `debug` had no effect.
      applicationLogLevelV2: ApplicationLogLevel.DEBUG,
      ...(props.invocationLog === 'failures' && { systemLogLevelV2: SystemLogLevel.WARN }),
      ...(isTracingActive && { tracing: Tracing.ACTIVE }),
      ...(props.sendsToItself && { recursiveLoop: RecursiveLoop.ALLOW }),
    });
    this.target =
      gradual && props.gradual !== false ? deployGradually(this, this.lambda, alarmTopic) : this.lambda;
  }
}

/** Returns a short log group name: `/Parley-dev/worker`. */
export function getLogGroupName(scope: Construct, of: string): string {
  return `/${Stack.of(scope).stackName}/${of}`;
}

/** An ESM entry, because Lambda awaits top-level `await` with a full vCPU; a CommonJS bundle continues with its own share. */
export const createStartModule = (
  v8Flags: readonly string[],
): string => `import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
// The local system runs functions in threads of one process, and flags apply to the whole process.
if (isMainThread) for (const flag of ${JSON.stringify(v8Flags)}) setFlagsFromString(flag);
const bundle = createRequire(import.meta.url)('./index.js');
await bundle.ready;
export const handler = bundle.handler;
`;

/** Bundles locally with esbuild. The Docker image is never pulled, because local bundling always succeeds. */
function createCode({ entry, threads = [], awaitsReady, v8Flags = [] }: FunctionProps): Code {
  return Code.fromAsset(join(PROJECT, 'functions'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('unused'),
      // Never executed; it distinguishes the bundles in the CDK's asset cache.
      command: [entry, ...threads, ...v8Flags],
      local: {
        tryBundle(outputDir) {
          bundle(entry, join(outputDir, 'index.js'));
          if (awaitsReady) writeFileSync(join(outputDir, 'start.mjs'), createStartModule(v8Flags));
          for (const thread of threads) bundleFile(thread, join(outputDir, `${basename(thread, '.ts')}.js`));
          return true;
        },
      },
    },
  });
}
