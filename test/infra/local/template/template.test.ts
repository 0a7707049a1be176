import { describe, expect, test } from '@jest/globals';
import { readTemplateResources } from '../../../../infra/local/template/template-resources.ts';
import { getLocalParameters } from '../../../../infra/local/services/parameters.ts';
import { createLookups } from '../../../../infra/local/template/resource-names.ts';
import { resolve } from '../../../../infra/local/template/resolve.ts';
import type { Lookups } from '../../../../infra/local/template/resolve.ts';
import { getParameterValues, readTemplate } from '../../../../infra/local/template/template.ts';
import { SAMPLE_TEMPLATE } from '../sample-template.ts';

const PLACES = { api: 'http://127.0.0.1:1', aws: 'http://127.0.0.1:2' };
const GIVEN = { UpstreamBaseUrl: 'http://up', UpstreamModel: 'm' };

const inventoryOf = (resources: Record<string, unknown>) => {
  const template = readTemplate({
    ...SAMPLE_TEMPLATE,
    Resources: { ...SAMPLE_TEMPLATE.Resources, ...resources },
  });
  return readTemplateResources(
    template,
    createLookups(template, getParameterValues(template, GIVEN), PLACES),
  );
};

describe('the intrinsic functions', () => {
  const table: Lookups = {
    ref: (name) => `ref:${name}`,
    attribute: (id, name) => `${id}#${name}`,
  };
  test.each([
    [{ Ref: 'A' }, 'ref:A'],
    [{ 'Fn::GetAtt': ['A', 'Arn'] }, 'A#Arn'],
    [{ 'Fn::GetAtt': 'A.Outputs.X' }, 'A#Outputs.X'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'B' }, 3]] }, 'a-ref:B-3'],
    [{ 'Fn::Sub': 'x-${A}-${B.Arn}-${!C}' }, 'x-ref:A-B#Arn-${C}'],
    [{ 'Fn::Sub': ['${own}/${A}', { own: { Ref: 'B' } }] }, 'ref:B/ref:A'],
    [{ 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    [{ deep: [{ Ref: 'A' }, true, null] }, { deep: ['ref:A', true, null] }],
    [
      { Ref: 'A', other: 1 },
      { Ref: 'A', other: 1 },
    ],
  ])('%j', (value, expected) => expect(resolve(value, table, 'here')).toEqual(expected));

  test.each([
    [{ a: { 'Fn::If': ['c', 1, 2] } }, 'here.a.Fn::If: the local system does not know Fn::If'],
    [{ 'Fn::Select': [5, ['a']] }, 'no such element'],
    [{ 'Fn::Join': ['', { Ref: 'A' }] }, 'expected a list'],
  ])('%j is rejected', (value, message) => expect(() => resolve(value, table, 'here')).toThrow(message));
});

describe('the template', () => {
  test('becomes an inventory in which every reference has its local value', () => {
    const { functions, routes, queues, eventSources, schedules, secrets, tables } = inventoryOf({});
    expect(functions[0]?.env).toEqual({
      TASK_QUEUE_URL: 'http://127.0.0.1:2/000000000000/Tasks.fifo',
      DAYS: '30',
      BASE: 'http://up',
      SECRET_ID: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:Signing-GeneratedXyz-AbCdEf',
      CALLBACK: 'http://127.0.0.1:1/back',
    });
    expect(routes).toEqual([{ key: 'POST /slack/events', functionId: 'Front', timeoutMs: 29_000 }]);
    expect(queues.find(({ name }) => name === 'Tasks.fifo')).toMatchObject({
      visibilityMs: 60_000,
      dedupScope: 'messageGroup',
      deadLetters: { queue: 'Dead.fifo', maxReceives: 3 },
    });
    expect(eventSources).toMatchObject([
      { queue: 'Tasks.fifo', functionId: 'Worker', batchSize: 10, partialFailures: true },
    ]);
    expect(schedules).toMatchObject([{ id: 'Sweep', expression: 'rate(1 minute)', functionId: 'Worker' }]);
    expect(secrets).toMatchObject([{ name: 'Signing-GeneratedXyz', kind: 'slack-signing' }]);
    expect(tables).toMatchObject([{ name: 'Notes', KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] }]);
  });

  test('with an unknown resource type is rejected with its name', () => {
    const unknown = { Cache: { Type: 'AWS::ElastiCache::Cluster', Properties: {} } };
    expect(() => inventoryOf(unknown)).toThrow('does not know AWS::ElastiCache::Cluster (resource Cache)');
  });

  test.each([
    [
      'a condition',
      { Dead: { ...SAMPLE_TEMPLATE.Resources.Dead, Condition: 'IsProd' } },
      'does not evaluate conditions (resource Dead',
    ],
    [
      'a queue that is not FIFO',
      { Dead: { Type: 'AWS::SQS::Queue' } },
      'cannot serve Dead (AWS::SQS::Queue)',
    ],
    [
      'an authorizer',
      {
        Route: {
          Type: 'AWS::ApiGatewayV2::Route',
          Properties: { RouteKey: 'GET /', Target: 'x', AuthorizationType: 'JWT' },
        },
      },
      'cannot serve Route',
    ],
    [
      'another stage',
      { Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { StageName: 'v1' } } },
      'cannot serve Stage',
    ],
    [
      'a mapping of no queue',
      {
        Mapping: {
          Type: 'AWS::Lambda::EventSourceMapping',
          Properties: { EventSourceArn: 'arn:aws:sqs:x', FunctionName: { Ref: 'Worker' } },
        },
      },
      'no AWS::SQS::Queue of this template',
    ],
    [
      'a reference to nothing',
      {
        Mapping: {
          Type: 'AWS::Lambda::EventSourceMapping',
          Properties: { FunctionName: { Ref: 'Nothing' } },
        },
      },
      'no resource Nothing',
    ],
  ])('with %s is rejected', (_, resources, message) => expect(() => inventoryOf(resources)).toThrow(message));

  test('that is malformed is rejected', () =>
    expect(() => readTemplate({ Resources: [] })).toThrow('not a CloudFormation template'));

  test('without values for parameters names all of them', () => {
    expect(() => getParameterValues(readTemplate(SAMPLE_TEMPLATE), {})).toThrow(
      'UpstreamBaseUrl, UpstreamModel',
    );
  });
});

test('parameters come from the services, or from variables of the same name', () => {
  const services = {
    slack: { apiUrl: 'https://gov.slack.example/api/', ownAddress: true, botUserId: 'U1' },
    discord: {
      apiUrl: 'http://127.0.0.1:4000/api/v10',
      gatewayUrl: null,
      publicKey: 'a'.repeat(64),
      applicationId: '901000000000000001',
    },
    toolServers: undefined,
    upstream: { baseUrl: 'http://up', visionUrl: '', model: 'm' },
  };
  const names = [
    'SlackApiUrl',
    'SlackFilesHosts',
    'DiscordPublicKey',
    'DiscordGatewayUrl',
    'DiscordCdnHosts',
    'UpstreamVisionUrl',
    'HistoryDays',
    'SystemPrompt',
    'BootstrapVersion',
  ];
  const variables = { HISTORY_DAYS: '7', SYSTEM_PROMPT: ' ', UPSTREAM_VISION_URL: 'http://ignored' };
  expect(getLocalParameters(names, services, variables)).toEqual({
    SlackApiUrl: 'https://gov.slack.example/api/',
    SlackFilesHosts: 'gov.slack.example',
    DiscordPublicKey: 'a'.repeat(64),
    DiscordCdnHosts: 'cdn.discordapp.com,media.discordapp.net,127.0.0.1:4000',
    UpstreamVisionUrl: '',
    HistoryDays: '7',
  });
  expect(getLocalParameters(names, services, { SLACK_FILES_HOSTS: 'a,b' })['SlackFilesHosts']).toBe('a,b');
});
