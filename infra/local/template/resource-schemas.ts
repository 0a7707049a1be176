/** The used properties of each resource type. A literal is the only supported value. */
import * as z from 'zod/mini';

/** API Gateway's timeout of an HTTP API integration is at most 30 s. */
export const MAX_ROUTE_TIMEOUT_MS = 29_000;
const Environment = z.object({ Variables: z._default(z.record(z.string(), z.coerce.string()), {}) });
export const Lambda = z.object({
  Runtime: z.string().check(z.regex(/^nodejs/)),
  Handler: z.string(),
  Timeout: z._default(z.number(), 3),
  MemorySize: z._default(z.number(), 128),
  Environment: z._default(Environment, { Variables: {} }),
  Role: z.string(),
  TracingConfig: z._default(z.object({ Mode: z.enum(['Active', 'PassThrough']) }), { Mode: 'PassThrough' }),
});
export const Integration = z.object({
  IntegrationType: z.literal('AWS_PROXY'),
  IntegrationUri: z.string(),
  PayloadFormatVersion: z.literal('2.0'),
  TimeoutInMillis: z._default(z.number(), MAX_ROUTE_TIMEOUT_MS),
});
export const ApiRoute = z.object({
  RouteKey: z.string(),
  Target: z.string(),
  AuthorizationType: z._default(z.literal('NONE'), 'NONE'),
});
const Settings = z.pipe(
  z.object({ ThrottlingRateLimit: z.number(), ThrottlingBurstLimit: z.number() }),
  z.transform(({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }) => ({ rate, burst })),
);
export const Stage = z.object({
  StageName: z.literal('$default'),
  DefaultRouteSettings: z.optional(Settings),
  RouteSettings: z._default(z.record(z.string(), Settings), {}),
});
const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const Index = z.object({
  IndexName: z.string(),
  KeySchema,
  Projection: z.object({ ProjectionType: z.string(), NonKeyAttributes: z.optional(z.array(z.string())) }),
});
export const Table = z.object({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  KeySchema,
  GlobalSecondaryIndexes: z._default(z.array(Index), []),
});
export const Queue = z.object({
  FifoQueue: z.literal(true),
  ContentBasedDeduplication: z._default(z.boolean(), false),
  DeduplicationScope: z._default(z.enum(['queue', 'messageGroup']), 'queue'),
  MessageRetentionPeriod: z._default(z.number(), 345_600),
  VisibilityTimeout: z._default(z.number(), 30),
  DelaySeconds: z._default(z.literal(0), 0),
  RedrivePolicy: z.optional(z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.number() })),
});
export const Mapping = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z._default(z.number(), 10),
  Enabled: z._default(z.literal(true), true),
  FilterCriteria: z.optional(z.undefined()),
  FunctionResponseTypes: z._default(z.array(z.string()), []),
  ScalingConfig: z.optional(z.object({ MaximumConcurrency: z.optional(z.number()) })),
});
const Rule = z.object({
  Status: z.literal('Enabled'),
  Prefix: z._default(z.string(), ''),
  ExpirationInDays: z.optional(z.coerce.number()),
});
export const Bucket = z.object({
  LifecycleConfiguration: z._default(z.object({ Rules: z.array(Rule) }), { Rules: [] }),
});
export const SchedulerSchedule = z.object({
  ScheduleExpression: z.string(),
  State: z._default(z.enum(['ENABLED', 'DISABLED']), 'ENABLED'),
  Target: z.object({ Arn: z.string(), Input: z.optional(z.string()) }),
});
/** Without a count the service is scaled, and starts with one task. */
export const Service = z.object({
  TaskDefinition: z.object({ Ref: z.string() }),
  DesiredCount: z._default(z.unknown(), 1),
});
/** The files of a permanent task: asset names by file name. */
export const Process = z.record(z.string(), z.string());
export const Task = z.object({
  ContainerDefinitions: z.array(
    z.object({ Environment: z._default(z.array(z.object({ Name: z.string(), Value: z.unknown() })), []) }),
  ),
});
