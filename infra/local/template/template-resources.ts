import * as v from 'valibot';
import { getArn, getResourceName } from './resource-names.ts';
import { resolve, type Lookups } from './resolve.ts';
import * as shapes from './resource-schemas.ts';
import { readPermissions } from './permissions.ts';
import type { Resource, Template } from './template.ts';
import type {
  Route,
  EventSource,
  BucketResource,
  TemplateResources,
  QueueRules,
  ProcessSpec,
} from './resource-types.ts';

/** Concurrent batches per queue without a limit in the template. */
const DEFAULT_CONCURRENCY = 50;

/** Finds the function or queue that a property names. `from` is the resource with the property. */
type TargetFinder = {
  readonly functionAt: (target: string, from: string) => string;
  readonly queueAt: (arn: string, from: string) => string;
};

type ParsedResource<T> = { readonly id: string; readonly resource: Resource; readonly properties: T };
type FindResources = <T extends v.GenericSchema>(
  type: string,
  shape: T,
) => ParsedResource<v.InferOutput<T>>[];

/** Reads the resources of the template. Throws, naming resource and property, for unsupported ones. */
export function readTemplateResources(template: Template, lookups: Lookups): TemplateResources {
  const all: FindResources = (type, shape) =>
    Object.entries(template.Resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([id, resource]) => ({ id, resource, properties: parseProperties(id, resource, shape, lookups) }));
  const targets = createTargetFinder(template);
  const functions = all('AWS::Lambda::Function', shapes.Lambda).map(toFunction);
  const processes = readProcesses(template, lookups);
  return {
    functions,
    routes: readRoutes(all, targets),
    functionUrls: all('AWS::Lambda::Url', shapes.FunctionUrl).map(({ id, properties }) =>
      targets.functionAt(properties.TargetFunctionArn, id),
    ),
    tables: all('AWS::DynamoDB::GlobalTable', shapes.Table).map(({ id, resource, properties }) => ({
      ...properties,
      name: getResourceName(id, resource),
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
    processes,
    secrets: all('AWS::SecretsManager::Secret', v.object({})).map(({ id, resource }) => ({
      arn: getArn(id, resource),
      name: getResourceName(id, resource),
      kind: secretKind(id, resource),
    })),
    buckets: all('AWS::S3::Bucket', shapes.Bucket).map(toBucket),
    permissions: readPermissions(
      [...functions, ...processes].map(({ role }) => role),
      template,
      lookups,
    ),
    keys: all('AWS::KMS::Key', v.object({})).map(({ id, resource }) => ({ arn: getArn(id, resource) })),
  };
}

/** Reads the permanent processes: files and variables of their tasks. */
function readProcesses({ Resources }: Template, lookups: Lookups): ProcessSpec[] {
  return Object.entries(Resources).flatMap(([id, { Type, Metadata, Properties }]) => {
    const files = v.parse(v.fallback(v.optional(shapes.Process), undefined), Metadata?.['parley:process']);
    if (Type !== 'AWS::ECS::TaskDefinition' || files === undefined) return [];
    const { ContainerDefinitions, TaskRoleArn } = v.parse(shapes.Task, Properties);
    const variables = ContainerDefinitions.flatMap(({ Environment }) => Environment);
    const env = variables.map(({ Name, Value }) => [Name, String(resolve(Value, lookups, id))] as const);
    const count = getDesiredCount(Resources, id, lookups);
    const needsDiscord = Metadata?.['parley:needs'] === 'discord';
    const role = getRoleId(String(resolve(TaskRoleArn, lookups, id)));
    return [{ logicalId: id, files, count, role, env: Object.fromEntries(env), needsDiscord }];
  });
}

/** Returns the desired count of the service that runs a task. */
function getDesiredCount(resources: Template['Resources'], task: string, lookups: Lookups): number {
  for (const [id, { Type, Properties }] of Object.entries(resources)) {
    const service = Type === 'AWS::ECS::Service' ? v.parse(shapes.Service, Properties) : undefined;
    if (service?.TaskDefinition.Ref === task) return Number(resolve(service.DesiredCount, lookups, id));
  }
  return 1;
}

function createTargetFinder({ Resources }: Template): TargetFinder {
  const find = (type: string, from: string, target: string, fits: (arn: string, name: string) => boolean) => {
    const entry = Object.entries(Resources).find(
      ([id, resource]) => resource.Type === type && fits(getArn(id, resource), getResourceName(id, resource)),
    );
    if (entry === undefined) throw new Error(`${from} names ${target}, which is no ${type} of this template`);
    return entry;
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
      getResourceName(...find('AWS::SQS::Queue', from, target, (arn) => target === arn)),
  };
}

/** `arn:aws:iam::…:role/<logical id>`. */
const getRoleId = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1);

function toFunction({ id, resource, properties }: ParsedResource<v.InferOutput<typeof shapes.Lambda>>) {
  return {
    logicalId: id,
    name: getResourceName(id, resource),
    arn: getArn(id, resource),
    handler: properties.Handler,
    timeoutMs: properties.Timeout * 1000,
    memoryMb: properties.MemorySize,
    reservedConcurrency: properties.ReservedConcurrentExecutions,
    isTraced: properties.TracingConfig.Mode === 'Active',
    role: getRoleId(properties.Role),
    env: properties.Environment.Variables,
  };
}

function toBucket({
  id,
  resource,
  properties,
}: ParsedResource<v.InferOutput<typeof shapes.Bucket>>): BucketResource {
  const rules = properties.LifecycleConfiguration.Rules.flatMap(({ Prefix, ExpirationInDays: days }) =>
    days === undefined ? [] : [{ prefix: Prefix, days }],
  );
  return { name: getResourceName(id, resource), rules };
}

function readRoutes(all: FindResources, { functionAt }: TargetFinder): Route[] {
  const [stage] = all('AWS::ApiGatewayV2::Stage', shapes.Stage);
  const { DefaultRouteSettings: others, RouteSettings: own = {} } = stage?.properties ?? {};
  const integrations = all('AWS::ApiGatewayV2::Integration', shapes.Integration);
  return all('AWS::ApiGatewayV2::Route', shapes.ApiRoute).map(({ id, properties }) => {
    const integration = integrations.find((one) => properties.Target === `integrations/${one.id}`);
    if (integration === undefined) throw new Error(`Route ${id} has no integration that is served here`);
    const { IntegrationUri: uri, TimeoutInMillis: ms } = integration.properties;
    const timeoutMs = Math.min(ms, shapes.MAX_ROUTE_TIMEOUT_MS);
    const { RouteKey: key } = properties;
    return { key, functionId: functionAt(uri, integration.id), timeoutMs, throttle: own[key] ?? others };
  });
}

function toRules(
  { id, resource, properties }: ParsedResource<v.InferOutput<typeof shapes.Queue>>,
  { queueAt }: TargetFinder,
): QueueRules {
  const redrive = properties.RedrivePolicy;
  return {
    name: getResourceName(id, resource),
    visibilityMs: properties.VisibilityTimeout * 1000,
    retentionMs: properties.MessageRetentionPeriod * 1000,
    contentDedup: properties.ContentBasedDeduplication,
    dedupScope: properties.DeduplicationScope,
    ...(redrive && {
      deadLetters: { queue: queueAt(redrive.deadLetterTargetArn, id), maxReceives: redrive.maxReceiveCount },
    }),
  };
}

function toSource(
  { id, properties }: ParsedResource<v.InferOutput<typeof shapes.Mapping>>,
  targets: TargetFinder,
): EventSource {
  return {
    queue: targets.queueAt(properties.EventSourceArn, id),
    queueArn: properties.EventSourceArn,
    functionId: targets.functionAt(properties.FunctionName, id),
    batchSize: properties.BatchSize,
    concurrency: properties.ScalingConfig?.MaximumConcurrency ?? DEFAULT_CONCURRENCY,
    partialFailures: properties.FunctionResponseTypes.includes('ReportBatchItemFailures'),
  };
}

function secretKind(id: string, { Metadata }: Resource): string {
  const kind = Metadata?.['parley:secret'];
  return typeof kind === 'string' ? kind : id;
}

/** Resolves only the used properties: others may contain unsupported references. */
function parseProperties<T extends v.GenericSchema>(
  id: string,
  resource: Resource,
  shape: T,
  lookups: Lookups,
): v.InferOutput<T> {
  const used =
    'entries' in shape && typeof shape.entries === 'object' && shape.entries !== null
      ? Object.keys(shape.entries)
      : [];
  const properties = Object.fromEntries(
    used
      .filter((name) => name in resource.Properties)
      .map((name) => [name, resolve(resource.Properties[name], lookups, `${id}.${name}`)]),
  );
  const result = v.safeParse(shape, properties);
  if (result.success) return result.output;
  throw new Error(`The local system cannot serve ${id} (${resource.Type}).\n${v.summarize(result.issues)}`);
}
