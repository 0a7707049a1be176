import { AssetHashType, DockerImage, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as Lambda,
  type IFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle, bundleFile, PROJECT } from './bundle.ts';
import { readContextOptions } from './context-options.ts';
import { gradually } from './monitoring/gradual-deployment.ts';
import { BUT_X_RAY } from './monitoring/tracing.ts';
import type { Entry, Thread } from './bundle.ts';

/** Something that a function may use: what tells it where that is, and what allows it. Given together. */
export type Use = {
  readonly env?: Readonly<Record<string, string>>;
  readonly allow?: {
    readonly actions: string[];
    readonly resources: string[];
    /** As in a policy: the right holds only where these do. */
    readonly conditions?: Record<string, Record<string, string>>;
  };
  /** Rules that the right breaks, as they name themselves, and why it may. */
  readonly but?: readonly { readonly id: string; readonly reason: string }[];
};

type HandlerProps = {
  /** The file in `functions/`, without its ending. */
  readonly entry: Entry;
  readonly description: string;
  readonly timeout: Duration;
  readonly memory?: number;
  /** Files that the function runs in threads of their own, each bundled beside it under its own name. */
  readonly threads?: readonly Thread[];
  /** The bundle exports `ready`, and no event is passed to it before that. */
  readonly rehearses?: boolean;
  /** Given to V8 before such a bundle is loaded. Lambda itself starts Node with sizes of the heap, which come after those of NODE_OPTIONS. */
  readonly v8Flags?: readonly string[];
  readonly uses: readonly Use[];
  /** Lambda tells X-Ray of its invocations, where tracing is chosen: it is at the beginning of a question's way. */
  readonly traced?: boolean;
  /** False: a new version is put to use at once, whatever is chosen. */
  readonly gradual?: boolean;
};

/**
 * A function with the settings all share: Node 24 on Arm, its own log group kept for 30 days, and its own role that
 * may write that log and do what `uses` name, no more.
 */
export class LambdaFunction extends Construct {
  readonly lambda: Lambda;
  /** What is to be called: the function, or the alias by which new versions are put to use little by little. */
  readonly target: IFunction;

  constructor(scope: Construct, id: string, props: HandlerProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: logsName(this, props.entry),
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not AWSLambdaBasicExecutionRole: that policy may write every log group of the account.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    for (const { allow } of props.uses) if (allow) role.addToPolicy(new PolicyStatement(allow));
    const { gradual, tracing } = readContextOptions((key): unknown => this.node.tryGetContext(key));
    const active = tracing && props.traced === true;
    for (const { but = [] } of props.uses) Validations.of(role).acknowledge(...but);
    if (active) Validations.of(role).acknowledge(...BUT_X_RAY);
    this.lambda = new Lambda(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memory ?? 256,
      timeout: props.timeout,
      handler: props.rehearses ? 'start.handler' : 'index.handler',
      code: bundled(props),
      environment: Object.fromEntries(props.uses.flatMap((use) => Object.entries(use.env ?? {}))),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      ...(active && { tracing: Tracing.ACTIVE }),
    });
    this.target = gradual && props.gradual !== false ? gradually(this, this.lambda) : this.lambda;
  }
}

/** The name of a log group, short enough to be typed at night: `/Parley-dev/worker`. */
export function logsName(scope: Construct, of: string): string {
  return `/${Stack.of(scope).stackName}/${of}`;
}

/** Lambda waits for what a module awaits, while the function has a whole processor; what a CommonJS bundle begins goes on with its share of one. */
export const startModule = (
  v8Flags: readonly string[],
): string => `import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
// The local engine runs functions in threads of one process, of which the flags would be.
if (isMainThread) for (const flag of ${JSON.stringify(v8Flags)}) setFlagsFromString(flag);
const bundle = createRequire(import.meta.url)('./index.js');
await bundle.ready;
export const handler = bundle.handler;
`;

/** Bundled here by esbuild; the image is never pulled, since the local bundling always answers. */
function bundled({ entry, threads = [], rehearses, v8Flags = [] }: HandlerProps): Code {
  return Code.fromAsset(join(PROJECT, 'functions'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('unused'),
      // Never run: it tells one bundle from the next, where the CDK looks for bundles that it has already made.
      command: [entry, ...threads, ...v8Flags],
      local: {
        tryBundle(outputDir) {
          bundle(entry, join(outputDir, 'index.js'));
          if (rehearses) writeFileSync(join(outputDir, 'start.mjs'), startModule(v8Flags));
          for (const thread of threads) bundleFile(thread, join(outputDir, `${basename(thread, '.ts')}.js`));
          return true;
        },
      },
    },
  });
}
