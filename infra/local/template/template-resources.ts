import * as z from 'zod/mini';
import type { QueueRules } from '../emulator/sqs/fifo.ts';
import type { FunctionSpec } from '../functions/functions.ts';
import type { ProcessSpec } from '../functions/processes.ts';
import { arnOf, getDisplayName } from './data-paths.ts';
import { resolve } from './resolve.ts';
import type { Lookups } from './resolve.ts';
import * as shapes from './resource-shapes.ts';
import { type S3Rights, s3RightsOf } from '../emulator/s3-rights.ts';
import type { Resource, Template } from './template.ts';
import type { Throttle } from '../emulator/throttles.ts';

/** A route of the HTTP API and the function behind it, by logical id. */
export type Route = {
  readonly key: string;
  readonly functionId: string;
  readonly timeoutMs: number;
  /** Absent where the stage has none. */
  readonly throttle?: Throttle | undefined;
};

export type Table = z.infer<typeof shapes.Table> & { readonly name: string };

/** Messages of a queue for a function. */
export type EventSource = {
  readonly queue: string;
  readonly queueArn: string;
  readonly functionId: string;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly partialFailures: boolean;
};

export type Schedule = {
  readonly id: string;
  readonly expression: string;
  readonly functionId: string;
  readonly input: string | undefined;
};

/** A secret of the template; `kind` says which of the local values it holds. */
export type SecretPlace = { readonly arn: string; readonly name: string; readonly kind: string };

/** A bucket, and what its files live for. */
export type BucketPlace = {
  readonly name: string;
  readonly rules: readonly { readonly prefix: string; readonly days: number }[];
};

/** All that the template asks for, with every reference replaced by its local value. */
export type TemplateResources = {
  readonly functions: readonly Omit<FunctionSpec, 'directory'>[];
  readonly routes: readonly Route[];
  readonly tables: readonly Table[];
  readonly queues: readonly QueueRules[];
  readonly eventSources: readonly EventSource[];
  readonly schedules: readonly Schedule[];
  readonly secrets: readonly SecretPlace[];
  readonly buckets: readonly BucketPlace[];
  /** What the roles of the functions may do in the buckets. */
  readonly s3Rights: S3Rights;
  readonly processes: readonly ProcessSpec[];
  /** The keys of KMS. */
  readonly keys: readonly { readonly arn: string }[];
};

/** Batches in flight for one queue where the template sets no limit. */
const CONCURRENCY = 50;

/** Finds the function or the queue that a property names. `from` is the resource that names it. */
type Targets = {
  readonly functionAt: (target: string, from: string) => string;
  readonly queueAt: (arn: string, from: string) => string;
};

type Found<T> = { readonly id: string; readonly resource: Resource; readonly properties: T };
type All = <T extends z.ZodMiniType>(type: string, shape: T) => Found<z.infer<T>>[];

/** Takes stock of the template. Throws, naming resource and property, where it asks for what is not served here. */
export function readTemplateResources(template: Template, lookups: Lookups): TemplateResources {
  const all: All = (type, shape) =>
    Object.entries(template.Resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([id, resource]) => ({ id, resource, properties: read(id, resource, shape, lookups) }));
  const targets = targetsIn(template);
  const functions = all('AWS::Lambda::Function', shapes.Lambda).map(toFunction);
  return {
    functions,
    routes: routes(all, targets),
    tables: all('AWS::DynamoDB::GlobalTable', shapes.Table).map(({ id, resource, properties }) => ({
      ...properties,
      name: getDisplayName(id, resource),
    })),
    queues: all('AWS::SQS::Queue', shapes.Queue).map((queue) => toRules(queue, targets)),
    eventSources: all('AWS::Lambda::EventSourceMapping', shapes.Mapping).map((mapping) =>
      toSource(mapping, targets),
    ),
    schedules: all('AWS::Scheduler::Schedule', shapes.SchedulerSchedule)
      .filter(({ properties }) => properties.State === 'ENABLED')
      .map(({ id, properties: { ScheduleExpression: expression, Target: target } }) => ({
        id,
        expression,
        functionId: targets.functionAt(target.Arn, id),
        input: target.Input,
      })),
    processes: processes(template, lookups),
    secrets: all('AWS::SecretsManager::Secret', z.object({})).map(({ id, resource }) => ({
      arn: arnOf(id, resource),
      name: getDisplayName(id, resource),
      kind: secretKind(id, resource),
    })),
    buckets: all('AWS::S3::Bucket', shapes.Bucket).map(toBucket),
    s3Rights: s3RightsOf(
      functions.map(({ role }) => role),
      template,
      lookups,
    ),
    keys: all('AWS::KMS::Key', z.object({})).map(({ id, resource }) => ({ arn: arnOf(id, resource) })),
  };
}

/** Of each task the container that stays: it has the variables. Only those are read: the rest is the container's own. */
function processes({ Resources }: Template, lookups: Lookups): ProcessSpec[] {
  return Object.entries(Resources).flatMap(([id, { Type, Metadata, Properties }]) => {
    const files = shapes.Process.safeParse(Metadata?.['parley:process']).data;
    if (Type !== 'AWS::ECS::TaskDefinition' || files === undefined) return [];
    const { ContainerDefinitions } = shapes.Task.parse(Properties);
    const variables = ContainerDefinitions.flatMap(({ Environment }) => Environment);
    const env = variables.map(({ Name, Value }) => [Name, String(resolve(Value, lookups, id))] as const);
    const count = countOf(Resources, id, lookups);
    const needsDiscord = Metadata?.['parley:needs'] === 'discord';
    return [{ logicalId: id, files, count, env: Object.fromEntries(env), needsDiscord }];
  });
}

/** How many of a task the service runs that keeps it running. */
function countOf(resources: Template['Resources'], task: string, lookups: Lookups): number {
  for (const [id, { Type, Properties }] of Object.entries(resources)) {
    const service = Type === 'AWS::ECS::Service' ? shapes.Service.parse(Properties) : undefined;
    if (service?.TaskDefinition.Ref === task) return Number(resolve(service.DesiredCount, lookups, id));
  }
  return 1;
}

function targetsIn({ Resources }: Template): Targets {
  const find = (type: string, from: string, target: string, fits: (arn: string, name: string) => boolean) => {
    const found = Object.entries(Resources).find(
      ([id, resource]) => resource.Type === type && fits(arnOf(id, resource), getDisplayName(id, resource)),
    );
    if (found === undefined) throw new Error(`${from} names ${target}, which is no ${type} of this template`);
    return found;
  };
  return {
    functionAt: (target, from) =>
      find(
        'AWS::Lambda::Function',
        from,
        target,
        (arn, name) => target === arn || target === name || target.includes(`${arn}/invocations`),
      )[0],
    queueAt: (target, from) =>
      getDisplayName(...find('AWS::SQS::Queue', from, target, (arn) => target === arn)),
  };
}

function toFunction({ id, resource, properties }: Found<z.infer<typeof shapes.Lambda>>) {
  return {
    logicalId: id,
    name: getDisplayName(id, resource),
    arn: arnOf(id, resource),
    handler: properties.Handler,
    timeoutMs: properties.Timeout * 1000,
    memoryMb: properties.MemorySize,
    isTraced: properties.TracingConfig.Mode === 'Active',
    // `arn:aws:iam::…:role/<logical id>`
    role: properties.Role.slice(properties.Role.lastIndexOf('/') + 1),
    env: properties.Environment.Variables,
  };
}

function toBucket({ id, resource, properties }: Found<z.infer<typeof shapes.Bucket>>): BucketPlace {
  const rules = properties.LifecycleConfiguration.Rules.flatMap(({ Prefix, ExpirationInDays: days }) =>
    days === undefined ? [] : [{ prefix: Prefix, days }],
  );
  return { name: getDisplayName(id, resource), rules };
}

function routes(all: All, { functionAt }: Targets): Route[] {
  const [stage] = all('AWS::ApiGatewayV2::Stage', shapes.Stage);
  const { DefaultRouteSettings: others, RouteSettings: own = {} } = stage?.properties ?? {};
  const integrations = all('AWS::ApiGatewayV2::Integration', shapes.Integration);
  return all('AWS::ApiGatewayV2::Route', shapes.ApiRoute).map(({ id, properties }) => {
    const integration = integrations.find((one) => properties.Target === `integrations/${one.id}`);
    if (integration === undefined) throw new Error(`Route ${id} has no integration that is served here`);
    const { IntegrationUri: uri, TimeoutInMillis: ms } = integration.properties;
    const timeoutMs = Math.min(ms, shapes.ROUTE_LIMIT_MS);
    const { RouteKey: key } = properties;
    return { key, functionId: functionAt(uri, integration.id), timeoutMs, throttle: own[key] ?? others };
  });
}

function toRules(
  { id, resource, properties }: Found<z.infer<typeof shapes.Queue>>,
  { queueAt }: Targets,
): QueueRules {
  const redrive = properties.RedrivePolicy;
  return {
    name: getDisplayName(id, resource),
    visibilityMs: properties.VisibilityTimeout * 1000,
    retentionMs: properties.MessageRetentionPeriod * 1000,
    contentDedup: properties.ContentBasedDeduplication,
    dedupScope: properties.DeduplicationScope,
    ...(redrive && {
      deadLetters: { queue: queueAt(redrive.deadLetterTargetArn, id), maxReceives: redrive.maxReceiveCount },
    }),
  };
}

function toSource({ id, properties }: Found<z.infer<typeof shapes.Mapping>>, targets: Targets): EventSource {
  return {
    queue: targets.queueAt(properties.EventSourceArn, id),
    queueArn: properties.EventSourceArn,
    functionId: targets.functionAt(properties.FunctionName, id),
    batchSize: properties.BatchSize,
    concurrency: properties.ScalingConfig?.MaximumConcurrency ?? CONCURRENCY,
    partialFailures: properties.FunctionResponseTypes.includes('ReportBatchItemFailures'),
  };
}

function secretKind(id: string, { Metadata }: Resource): string {
  const kind = Metadata?.['parley:secret'];
  return typeof kind === 'string' ? kind : id;
}

/** Resolves only the properties that are used: the others may hold what means nothing here. */
function read<T extends z.ZodMiniType>(
  id: string,
  resource: Resource,
  shape: T,
  lookups: Lookups,
): z.infer<T> {
  const used =
    'shape' in shape && typeof shape.shape === 'object' && shape.shape !== null
      ? Object.keys(shape.shape)
      : [];
  const properties = Object.fromEntries(
    used
      .filter((name) => name in resource.Properties)
      .map((name) => [name, resolve(resource.Properties[name], lookups, `${id}.${name}`)]),
  );
  const result = shape.safeParse(properties);
  if (result.success) return result.data;
  throw new Error(
    `The local system cannot serve ${id} (${resource.Type}).\n${z.prettifyError(result.error)}`,
  );
}
