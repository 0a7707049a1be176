/** The used properties of each resource type. A literal is the only supported value. */
import * as v from 'valibot';

/** API Gateway's timeout of an HTTP API integration is at most 30 s. */
export const MAX_ROUTE_TIMEOUT_MS = 29_000;
const Environment = v.object({
  Variables: v.optional(v.record(v.string(), v.pipe(v.unknown(), v.transform(String))), {}),
});
export const Lambda = v.object({
  Runtime: v.pipe(v.string(), v.regex(/^nodejs/)),
  Handler: v.string(),
  Timeout: v.optional(v.number(), 3),
  MemorySize: v.optional(v.number(), 128),
  Environment: v.optional(Environment, { Variables: {} }),
  Role: v.string(),
  ReservedConcurrentExecutions: v.optional(v.number()),
  TracingConfig: v.optional(v.object({ Mode: v.picklist(['Active', 'PassThrough']) }), {
    Mode: 'PassThrough',
  }),
});
/** A function URL without authentication of its own. */
export const FunctionUrl = v.object({
  AuthType: v.literal('NONE'),
  InvokeMode: v.literal('RESPONSE_STREAM'),
  TargetFunctionArn: v.string(),
});
export const Integration = v.object({
  IntegrationType: v.literal('AWS_PROXY'),
  IntegrationUri: v.string(),
  PayloadFormatVersion: v.literal('2.0'),
  TimeoutInMillis: v.optional(v.number(), MAX_ROUTE_TIMEOUT_MS),
});
export const ApiRoute = v.object({
  RouteKey: v.string(),
  Target: v.string(),
  AuthorizationType: v.optional(v.literal('NONE'), 'NONE'),
});
const Settings = v.pipe(
  v.object({ ThrottlingRateLimit: v.number(), ThrottlingBurstLimit: v.number() }),
  v.transform(({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }) => ({ rate, burst })),
);
export const Stage = v.object({
  StageName: v.literal('$default'),
  DefaultRouteSettings: v.optional(Settings),
  RouteSettings: v.optional(v.record(v.string(), Settings), {}),
});
const KeySchema = v.array(v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }));
const Index = v.object({
  IndexName: v.string(),
  KeySchema,
  Projection: v.object({ ProjectionType: v.string(), NonKeyAttributes: v.optional(v.array(v.string())) }),
});
export const Table = v.object({
  AttributeDefinitions: v.array(v.object({ AttributeName: v.string(), AttributeType: v.string() })),
  KeySchema,
  GlobalSecondaryIndexes: v.optional(v.array(Index), []),
});
export const Queue = v.object({
  FifoQueue: v.literal(true),
  ContentBasedDeduplication: v.optional(v.boolean(), false),
  DeduplicationScope: v.optional(v.picklist(['queue', 'messageGroup']), 'queue'),
  MessageRetentionPeriod: v.optional(v.number(), 345_600),
  VisibilityTimeout: v.optional(v.number(), 30),
  DelaySeconds: v.optional(v.literal(0), 0),
  RedrivePolicy: v.optional(v.object({ deadLetterTargetArn: v.string(), maxReceiveCount: v.number() })),
});
export const Mapping = v.object({
  EventSourceArn: v.string(),
  FunctionName: v.string(),
  BatchSize: v.optional(v.number(), 10),
  Enabled: v.optional(v.literal(true), true),
  FilterCriteria: v.optional(v.undefined()),
  FunctionResponseTypes: v.optional(v.array(v.string()), []),
  ScalingConfig: v.optional(v.object({ MaximumConcurrency: v.optional(v.number()) })),
});
const Rule = v.object({
  Status: v.literal('Enabled'),
  Prefix: v.optional(v.string(), ''),
  ExpirationInDays: v.optional(v.pipe(v.unknown(), v.transform(Number), v.number())),
});
export const Bucket = v.object({
  LifecycleConfiguration: v.optional(v.object({ Rules: v.array(Rule) }), { Rules: [] }),
});
export const SchedulerSchedule = v.object({
  ScheduleExpression: v.string(),
  State: v.optional(v.picklist(['ENABLED', 'DISABLED']), 'ENABLED'),
  Target: v.object({ Arn: v.string(), Input: v.optional(v.string()) }),
});
/** Without a count the service is scaled, and starts with one task. */
export const Service = v.object({
  TaskDefinition: v.object({ Ref: v.string() }),
  DesiredCount: v.optional(v.unknown(), 1),
});
/** The files of a permanent task: asset names by file name. */
export const Process = v.record(v.string(), v.string());
export const Task = v.object({
  TaskRoleArn: v.unknown(),
  ContainerDefinitions: v.array(
    v.object({
      Environment: v.optional(v.array(v.object({ Name: v.string(), Value: v.optional(v.unknown()) })), []),
    }),
  ),
});
