import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TemplateBuild } from '../../../infra/local/emulator.ts';

/** A folder for one test; `remove` deletes it. */
export function scratch(): { directory: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'parley-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

const lambda = (variables: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Timeout: 5,
    MemorySize: 128,
    Environment: { Variables: variables },
    Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
    ...more,
  },
});

/** The template of a small CDK app: a route, a queue with dead letters, a table, a secret, a schedule. */
export const SAMPLE_TEMPLATE = {
  Parameters: {
    SlackApiUrl: { Type: 'String', Default: 'https://slack.com/api/' },
    UpstreamBaseUrl: { Type: 'String' },
    UpstreamModel: { Type: 'String' },
    HistoryDays: { Type: 'Number', Default: 30 },
    BootstrapVersion: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/cdk-bootstrap/version' },
  },
  Resources: {
    Role: { Type: 'AWS::IAM::Role', Properties: { Policy: { 'Fn::If': ['no', 1, 2] } } },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } },
    Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { StageName: '$default', AutoDeploy: true } },
    Front: lambda({
      TASK_QUEUE_URL: { Ref: 'Tasks' },
      DAYS: { Ref: 'HistoryDays' },
      BASE: { Ref: 'UpstreamBaseUrl' },
      SECRET_ID: { Ref: 'Signing' },
      CALLBACK: { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, '/back']] },
    }),
    Worker: lambda({ TABLE: { Ref: 'Notes' } }, { Timeout: 30 }),
    FrontIntegration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: { 'Fn::GetAtt': ['Front', 'Arn'] },
        PayloadFormatVersion: '2.0',
      },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        RouteKey: 'POST /slack/events',
        Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'FrontIntegration' }]] },
      },
    },
    Dead: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
    Tasks: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        FifoQueue: true,
        VisibilityTimeout: 60,
        DeduplicationScope: 'messageGroup',
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 3 },
      },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Tasks', 'Arn'] },
        FunctionName: { Ref: 'Worker' },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    Notes: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'open', AttributeType: 'S' },
        ],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'open',
            KeySchema: [{ AttributeName: 'open', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
        Replicas: [{ Region: { Ref: 'AWS::Region' } }],
      },
    },
    Signing: { Type: 'AWS::SecretsManager::Secret', Metadata: { 'parley:secret': 'slack-signing' } },
    Sweep: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: 'rate(1 minute)',
        Target: { Arn: { 'Fn::GetAtt': ['Worker', 'Arn'] }, RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] } },
      },
    },
  },
};

/** Writes bundles (`index.js` of each function) below `directory`, as the build does. */
export function builtFrom(
  directory: string,
  bundles: Readonly<Record<string, string>>,
  template: unknown = SAMPLE_TEMPLATE,
): TemplateBuild {
  for (const [id, source] of Object.entries(bundles)) {
    mkdirSync(join(directory, 'bundles', id), { recursive: true });
    writeFileSync(join(directory, 'bundles', id, 'index.js'), source);
  }
  return { template, assetDir: (id) => join(directory, 'bundles', id) };
}
