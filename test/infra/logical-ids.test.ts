import { beforeAll, expect, test } from '@jest/globals';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { TemplateView } from './template.ts';

let ids: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  const resources = new TemplateView((await buildTemplate()).template).all();
  ids = new Map(
    [...Map.groupBy(resources, ({ Type }) => Type)].map(([type, of]) => [type, of.map(({ id }) => id)]),
  );
});

// For a new logical id CloudFormation creates a new, empty resource, and deletes or abandons the old one with its
// data. The CDK derives ids from construct paths, so moving a construct changes them (`overrideLogicalId` keeps one).
test.each([
  ['AWS::DynamoDB::GlobalTable', ['ConversationsBC91B70D', 'Tokens1180AAEA']],
  ['AWS::S3::Bucket', ['MediaA721A567']],
  ['AWS::KMS::Key', ['SealC01A1568']],
  [
    'AWS::SecretsManager::Secret',
    [
      'SlackSigningD27E225B',
      'SlackBot50BAA6B1',
      'SlackOAuthD47C022C',
      'DiscordBot2A5119C8',
      'UpstreamD1B9FBF8',
    ],
  ],
])('resources with data keep their logical ids: %s', (type, expectedIds) => {
  expect(ids.get(type)).toEqual(expectedIds);
});
