import type { Lookups } from './resolve.ts';
import type { Resource, Template } from './template.ts';

export const REGION = 'us-east-1';
/** Secret key of the local credentials. Not a secret: anyone who can start processes here may know it. */
export const LOCAL_SECRET = 'local';
export const ACCOUNT = '000000000000';

/** Base URLs of the local system, without trailing slash. */
export type LocalUrls = { readonly api: string; readonly aws: string };

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/Parley/local`,
  'AWS::StackName': 'Parley',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** Values of `Ref` and `Fn::GetAtt` for each supported resource type, as CloudFormation documents them. */
export function createLookups(
  template: Template,
  parameters: Readonly<Record<string, string>>,
  places: LocalUrls,
): Lookups {
  const resource = (id: string): Resource => {
    const declared = template.Resources[id];
    if (declared === undefined) throw new Error(`The template has no resource ${id}`);
    return declared;
  };
  return {
    ref: (name) => parameters[name] ?? PSEUDO_PARAMETERS[name] ?? getRef(name, resource(name), places),
    attribute: (id, attribute) => getAttribute(id, resource(id), attribute, places),
  };
}

/** CloudFormation appends twelve characters to the logical id of a secret without a name. Here they are constant. */
const GENERATED_SUFFIX = 'GeneratedXyz';
/** Secrets Manager appends a hyphen and six characters to the name of a secret in its ARN. */
const ARN_SUFFIX = 'AbCdEf';

/** Returns the name of a resource: its configured name, else its logical id. */
export function getResourceName(id: string, { Type, Properties }: Resource): string {
  switch (Type) {
    case 'AWS::Lambda::Function':
      return stringOr(Properties['FunctionName'], id);
    case 'AWS::DynamoDB::GlobalTable':
      return stringOr(Properties['TableName'], id);
    case 'AWS::SQS::Queue':
      return stringOr(Properties['QueueName'], `${id}.fifo`);
    case 'AWS::S3::Bucket':
      // Bucket names have no capital letters.
      return stringOr(Properties['BucketName'], id.toLowerCase());
    case 'AWS::SecretsManager::Secret':
      return stringOr(Properties['Name'], `${id}-${GENERATED_SUFFIX}`);
    default:
      return id;
  }
}

export function getArn(id: string, resource: Resource): string {
  const service = SERVICES[resource.Type];
  if (service === undefined)
    throw new Error(`The local system has no ARN for ${resource.Type} (resource ${id})`);
  const name = getResourceName(id, resource);
  // Bucket names are globally unique: their ARNs have neither region nor account.
  if (service.arn === 's3') return `arn:aws:s3:::${name}`;
  const suffix = service.arn === 'secretsmanager' ? `-${ARN_SUFFIX}` : '';
  return `arn:aws:${service.arn}:${REGION}:${ACCOUNT}:${service.prefix}${name}${suffix}`;
}

export function getQueueUrl(name: string, places: LocalUrls): string {
  return `${places.aws}/${ACCOUNT}/${name}`;
}

const SERVICES: Readonly<Record<string, { arn: string; prefix: string }>> = {
  // Referenced by schedules; its permissions are not checked here.
  'AWS::IAM::Role': { arn: 'iam', prefix: 'role/' },
  'AWS::Lambda::Function': { arn: 'lambda', prefix: 'function:' },
  'AWS::DynamoDB::GlobalTable': { arn: 'dynamodb', prefix: 'table/' },
  'AWS::SQS::Queue': { arn: 'sqs', prefix: '' },
  'AWS::S3::Bucket': { arn: 's3', prefix: '' },
  'AWS::SecretsManager::Secret': { arn: 'secretsmanager', prefix: 'secret:' },
  'AWS::KMS::Key': { arn: 'kms', prefix: 'key/' },
};

function getRef(id: string, resource: Resource, places: LocalUrls): string {
  if (resource.Type === 'AWS::SQS::Queue') return getQueueUrl(getResourceName(id, resource), places);
  if (resource.Type === 'AWS::SecretsManager::Secret') return getArn(id, resource);
  return getResourceName(id, resource);
}

function getAttribute(id: string, resource: Resource, attribute: string, places: LocalUrls): string {
  if (attribute === 'Arn') return getArn(id, resource);
  if (resource.Type === 'AWS::SQS::Queue' && attribute === 'QueueName') return getResourceName(id, resource);
  if (resource.Type === 'AWS::SQS::Queue' && attribute === 'QueueUrl')
    return getQueueUrl(getResourceName(id, resource), places);
  if (resource.Type === 'AWS::ApiGatewayV2::Api' && attribute === 'ApiEndpoint') return places.api;
  // On AWS each URL has a host of its own; here they are below the HTTP API, which has other paths.
  if (resource.Type === 'AWS::Lambda::Url' && attribute === 'FunctionUrl') return `${places.api}/`;
  throw new Error(
    `The local system does not know the attribute ${attribute} of ${resource.Type} (resource ${id})`,
  );
}

function stringOr(name: unknown, otherwise: string): string {
  return typeof name === 'string' ? name : otherwise;
}
