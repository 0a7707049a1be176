import type { Lookups } from './resolve.ts';
import type { Resource, Template } from './template.ts';

export const REGION = 'us-east-1';
/** What the local credentials are signed with: whoever may start processes here may have it. */
export const LOCAL_SECRET = 'local';
export const ACCOUNT = '000000000000';

/** Where the parts of the local system can be reached. Addresses have no slash at the end. */
export type DataPaths = { readonly api: string; readonly aws: string };

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/Parley/local`,
  'AWS::StackName': 'Parley',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** What `Ref` and `Fn::GetAtt` give for each kind of resource that is served, as CloudFormation documents them. */
export function lookups(
  template: Template,
  parameters: Readonly<Record<string, string>>,
  places: DataPaths,
): Lookups {
  const resource = (id: string): Resource => {
    const found = template.Resources[id];
    if (found === undefined) throw new Error(`The template has no resource ${id}`);
    return found;
  };
  return {
    ref: (name) => parameters[name] ?? PSEUDO[name] ?? refOf(name, resource(name), places),
    attribute: (id, attribute) => attributeOf(id, resource(id), attribute, places),
  };
}

/** The name of a resource: its own where the template gives one, else its logical id. */
export function getDisplayName(id: string, { Type, Properties }: Resource): string {
  switch (Type) {
    case 'AWS::Lambda::Function':
      return given(Properties['FunctionName'], id);
    case 'AWS::DynamoDB::GlobalTable':
      return given(Properties['TableName'], id);
    case 'AWS::SQS::Queue':
      return given(Properties['QueueName'], `${id}.fifo`);
    case 'AWS::S3::Bucket':
      // Names of buckets have no capitals.
      return given(Properties['BucketName'], id.toLowerCase());
    case 'AWS::SecretsManager::Secret':
      return given(Properties['Name'], id);
    default:
      return id;
  }
}

export function arnOf(id: string, resource: Resource): string {
  const service = SERVICES[resource.Type];
  if (service === undefined)
    throw new Error(`The local system has no ARN for ${resource.Type} (resource ${id})`);
  // Names of buckets are unique in all of AWS: their ARNs tell neither region nor account.
  if (service.arn === 's3') return `arn:aws:s3:::${getDisplayName(id, resource)}`;
  return `arn:aws:${service.arn}:${REGION}:${ACCOUNT}:${service.prefix}${getDisplayName(id, resource)}`;
}

export function queueUrl(name: string, places: DataPaths): string {
  return `${places.aws}/${ACCOUNT}/${name}`;
}

const SERVICES: Readonly<Record<string, { arn: string; prefix: string }>> = {
  // Named by a schedule; nothing here asks it for a right.
  'AWS::IAM::Role': { arn: 'iam', prefix: 'role/' },
  'AWS::Lambda::Function': { arn: 'lambda', prefix: 'function:' },
  'AWS::DynamoDB::GlobalTable': { arn: 'dynamodb', prefix: 'table/' },
  'AWS::SQS::Queue': { arn: 'sqs', prefix: '' },
  'AWS::S3::Bucket': { arn: 's3', prefix: '' },
  'AWS::SecretsManager::Secret': { arn: 'secretsmanager', prefix: 'secret:' },
  'AWS::KMS::Key': { arn: 'kms', prefix: 'key/' },
};

function refOf(id: string, resource: Resource, places: DataPaths): string {
  if (resource.Type === 'AWS::SQS::Queue') return queueUrl(getDisplayName(id, resource), places);
  if (resource.Type === 'AWS::SecretsManager::Secret') return arnOf(id, resource);
  return getDisplayName(id, resource);
}

function attributeOf(id: string, resource: Resource, attribute: string, places: DataPaths): string {
  if (attribute === 'Arn') return arnOf(id, resource);
  if (resource.Type === 'AWS::SQS::Queue' && attribute === 'QueueName') return getDisplayName(id, resource);
  if (resource.Type === 'AWS::SQS::Queue' && attribute === 'QueueUrl')
    return queueUrl(getDisplayName(id, resource), places);
  if (resource.Type === 'AWS::ApiGatewayV2::Api' && attribute === 'ApiEndpoint') return places.api;
  throw new Error(
    `The local system does not know the attribute ${attribute} of ${resource.Type} (resource ${id})`,
  );
}

function given(name: unknown, otherwise: string): string {
  return typeof name === 'string' ? name : otherwise;
}
