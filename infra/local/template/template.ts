import * as v from 'valibot';

const Resource = v.object({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
  Metadata: v.optional(v.record(v.string(), v.unknown())),
  Condition: v.optional(v.string()),
});

const Parameter = v.object({ Type: v.string(), Default: v.optional(v.union([v.string(), v.number()])) });

const isNoList = (value: unknown): boolean => !Array.isArray(value);

const Template = v.object({
  Parameters: v.optional(v.record(v.string(), Parameter), {}),
  // Valibot's records may be lists.
  Resources: v.pipe(v.custom<object>(isNoList, 'Expected an object'), v.record(v.string(), Resource)),
});

export type Resource = v.InferOutput<typeof Resource>;
export type Template = v.InferOutput<typeof Template>;

/** Resource types that the local system emulates. */
const EMULATED_TYPES = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::DynamoDB::GlobalTable',
  'AWS::ECS::TaskDefinition',
  'AWS::KMS::Key',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Url',
  'AWS::Lambda::Function',
  'AWS::Scheduler::Schedule',
  'AWS::S3::Bucket',
  'AWS::SecretsManager::Secret',
  'AWS::SQS::Queue',
]);

/** Resource types without meaning on one machine: permissions (everything belongs to one user), logs, monitoring. */
const IGNORED_TYPES = new Set([
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::EC2::InternetGateway',
  'AWS::EC2::Route',
  'AWS::EC2::RouteTable',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::Subnet',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPC',
  'AWS::EC2::VPCGatewayAttachment',
  'AWS::ECS::Cluster',
  'AWS::ECS::Service',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::S3::BucketPolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
]);

/**
 * Parses a CloudFormation template. Throws when it is invalid, or has a resource of an unknown type or a condition on an
 * emulated one: what runs here must be what deploys.
 */
export function readTemplate(input: unknown): Template {
  const read = v.safeParse(Template, input);
  if (!read.success) throw new Error(`This is not a CloudFormation template.\n${v.summarize(read.issues)}`);
  for (const [id, resource] of Object.entries(read.output.Resources)) {
    if (IGNORED_TYPES.has(resource.Type)) continue;
    if (!EMULATED_TYPES.has(resource.Type)) {
      throw new Error(
        `The local system does not know ${resource.Type} (resource ${id}). Add the type to EMULATED_TYPES or IGNORED_TYPES in infra/local/template/template.ts.`,
      );
    }
    if (resource.Condition !== undefined) {
      throw new Error(`The local system does not evaluate conditions (resource ${id} has one).`);
    }
  }
  return read.output;
}

/**
 * Returns the values of all parameters: the given ones, else the defaults. Values of undeclared parameters are dropped. Throws,
 * naming them, when some have neither.
 */
export function getParameterValues(
  template: Template,
  parameters: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const missing: string[] = [];
  const values: Record<string, string> = {};
  for (const [name, parameter] of Object.entries(template.Parameters)) {
    const value = parameters[name] ?? parameter.Default;
    if (value === undefined) missing.push(name);
    else values[name] = String(value);
  }
  if (missing.length > 0)
    throw new Error(`The template has parameters without a local value: ${missing.join(', ')}.`);
  return values;
}
