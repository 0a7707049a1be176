import { beforeAll, expect, test } from '@jest/globals';
import { buildTemplate } from '../../../infra/local/template/build.ts';
import { type Lookups, resolve } from '../../../infra/local/template/resolve.ts';
import { plain, TemplateView } from '../template.ts';

/** Lambda's limit for the names and values of all variables of a function. */
const MAX_ENVIRONMENT_BYTES = 4_096;
/** What an operator may add to the defaults: URLs of the models, lists of models and hosts. */
const OPERATOR_BYTES = 400;

const REGION = 'ap-southeast-2';
const ACCOUNT = '123456789012';
const STACK = 'Parley-staging';
/** The suffix that CloudFormation gives to a name. */
const SUFFIX = 'AbCdEf123456';

/** The variables of a third platform: a secret, three ids and URLs, and a list of hosts. */
const THIRD_PLATFORM: Readonly<Record<string, string>> = {
  TEAMS_BOT_SECRET_ID: `TeamsBot0123ABCD-${SUFFIX}`,
  TEAMS_API_URL: 'https://smba.trafficmanager.net/teams/',
  TEAMS_APPLICATION_ID: '01234567-89ab-cdef-0123-456789abcdef',
  TEAMS_TENANT_ID: '01234567-89ab-cdef-0123-456789abcdef',
  TEAMS_FILES_HOSTS: '',
};

let template: TemplateView;

beforeAll(async () => {
  template = new TemplateView((await buildTemplate()).template);
});

/** The value of `Ref` for each type of resource, as long as in a region with a long name. */
const REFERENCES: Readonly<Record<string, (id: string) => string>> = {
  'AWS::SecretsManager::Secret': (id) =>
    `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${id}-${SUFFIX}-XyZaBc`,
  'AWS::SQS::Queue': (id) => `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${STACK}-${id}-${SUFFIX}.fifo`,
  'AWS::KMS::Key': () => '01234567-89ab-cdef-0123-456789abcdef',
  'AWS::DynamoDB::GlobalTable': (id) => `${STACK}-${id}-${SUFFIX}`,
  'AWS::S3::Bucket': (id) => `${STACK}-${id}-${SUFFIX}`,
};

function referenceTo(id: string): string {
  const type = template.all().find((resource) => resource.id === id)?.Type ?? 'no resource';
  const create = REFERENCES[type];
  if (create === undefined) throw new Error(`the length of a reference to ${id} (${type}) is unknown`);
  return create(id);
}

const lookups: Lookups = {
  ref: (name) => {
    const parameter = template.parameters[name];
    if (parameter === undefined) return referenceTo(name);
    return parameter.MaxLength === undefined
      ? String(parameter.Default ?? '')
      : 'x'.repeat(parameter.MaxLength);
  },
  attribute: (id, attribute) => {
    if (attribute === 'QueueName') return `${STACK}-${id}-${SUFFIX}.fifo`;
    if (attribute === 'FunctionUrl') return `https://${'a'.repeat(32)}.lambda-url.${REGION}.on.aws/`;
    if (attribute === 'ApiEndpoint') return `https://abcdefghij.execute-api.${REGION}.amazonaws.com`;
    throw new Error(`the length of ${id}.${attribute} is unknown`);
  },
};

const bytesOf = (variables: Readonly<Record<string, string>>): number =>
  Object.entries(variables).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** The environment of a function, with values as long as deployed ones. */
const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(template.variables(name)).map(([variable, value]): [string, string] => [
      variable,
      String(resolve(value, lookups, variable)),
    ]),
  );

test('the environment of each function is below the limit of Lambda, with a third platform and long lists of models', () => {
  const functions = template
    .all('AWS::Lambda::Function')
    .map(({ id }) => plain(id).replace(/Function$/u, ''));
  const tooLarge = functions
    .map((name): [string, number] => [name, bytesOf({ ...environmentOf(name), ...THIRD_PLATFORM })])
    .filter(([, bytes]) => bytes + OPERATOR_BYTES > MAX_ENVIRONMENT_BYTES);
  expect(tooLarge).toEqual([]);
});
