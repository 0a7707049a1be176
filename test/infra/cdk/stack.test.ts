import { beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { buildTemplate, synthesize } from '../../../infra/local/template/build.ts';
import type { BuiltTemplate } from '../../../infra/local/template/build.ts';
import { ROUTES, TASKS } from '../../../shared/runtime/shared-names.ts';
import { plain, TemplateView, targetOf } from '../template.ts';

const FUNCTIONS = 13;
/** The AWS client needs it only to sign for several regions at once. */
const OPTIONAL = '@aws-sdk/signature-v4-crt';

const PLATFORM_THROTTLE = { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 };

const key = (...names: string[]) =>
  names.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' }));

const short = (rule: string): string => rule.replace(/<\w+\.Arn>/u, 'Media');
const sorted = (pairs: readonly (readonly string[])[]) => pairs.map((pair) => pair.join(' ')).toSorted();

const ofRelay = (template: TemplateView) =>
  template.all().filter(({ Type }) => /^AWS::(?:ECS|EC2)::/.test(Type));

let built: BuiltTemplate;
let dev: TemplateView;
let prod: TemplateView;

// The first is the build of the local system; the second applies the rules, and fails if one is broken.
beforeAll(async () => {
  built = await buildTemplate();
  dev = new TemplateView(built.template);
  const out = await mkdtemp(join(tmpdir(), 'parley-prod-'));
  await synthesize(out, { stage: 'prod', rules: 'on', 'aws:cdk:bundling-stacks': [] });
  prod = new TemplateView(JSON.parse(await readFile(join(out, 'Parley.template.json'), 'utf8')));
  await rm(out, { recursive: true });
});

test('the stack has no part of the relay unless it is chosen', () => {
  expect(ofRelay(prod)).toEqual([]);
  expect(ofRelay(dev)).not.toEqual([]);
});

test('the AwsSolutions rules hold except in a few places, each with a reason', () => {
  const written = v.object({
    rules_to_suppress: v.array(v.object({ id: v.string(), reason: v.pipe(v.string(), v.minLength(60)) })),
  });
  const places = prod.all().flatMap(({ id, Metadata }) => {
    const rules = Metadata?.['cdk_nag'];
    return rules ? v.parse(written, rules).rules_to_suppress.map((rule) => [plain(id), short(rule.id)]) : [];
  });
  const folders = ['inputs', 'results'].map((folder) => `AwsSolutions-IAM5[Resource::Media/${folder}/*]`);
  expect(sorted(places)).toEqual(
    sorted([
      ['Media', 'AwsSolutions-S1'],
      ['MediaPolicy', 'AwsSolutions-S1'],
      ['TasksAlone', 'AwsSolutions-SQS3'],
      ['TasksAlonePolicy', 'AwsSolutions-SQS3'],
      ['SlackSigning', 'AwsSolutions-SMG4'],
      ['SlackBot', 'AwsSolutions-SMG4'],
      ['SlackOAuth', 'AwsSolutions-SMG4'],
      ['DiscordBot', 'AwsSolutions-SMG4'],
      ['Upstream', 'AwsSolutions-SMG4'],
      ['ApiPOSTslackevents', 'AwsSolutions-APIG4'],
      ['ApiGETslackinstall', 'AwsSolutions-APIG4'],
      ['ApiGETslackoauthredirect', 'AwsSolutions-APIG4'],
      ['ApiPOSTdiscordinteractions', 'AwsSolutions-APIG4'],
      ['ApiPOSTdiscordevents', 'AwsSolutions-APIG4'],
      ['ApiGETtoolsoauth', 'AwsSolutions-APIG4'],
      ['ApiPOSTcallbacksvideojobsecret', 'AwsSolutions-APIG4'],
      ...['Worker', 'LargeWorker'].flatMap((worker) =>
        folders.flatMap((rule) => [
          [`${worker}Role`, rule],
          [`${worker}RoleDefaultPolicy`, rule],
        ]),
      ),
    ]),
  );
});

test('functions use Node 24 on Arm, a self-contained bundle, and a log with a retention of 30 days', async () => {
  const functions = dev.all('AWS::Lambda::Function');
  expect(functions).toHaveLength(FUNCTIONS);
  for (const { id, Properties } of functions) {
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: id.startsWith('WorkerFunction') ? 'start.handler' : 'index.handler',
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: expect.stringMatching(/Logs/) } },
    });
    const code = await readFile(join(built.assetDir(id), 'index.js'), 'utf8');
    const needs = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name);
    expect(needs.filter((name) => !isBuiltin(name) && name !== OPTIONAL)).toEqual([]);
  }
  const logs = dev.all('AWS::Logs::LogGroup');
  // Besides the functions: the API and the relay.
  expect(logs).toHaveLength(FUNCTIONS + 2);
  for (const { Properties } of logs) expect(Properties['RetentionInDays']).toBe(30);
  // CloudFormation does not create a log group whose name exists.
  expect(new Set(logs.map(({ Properties }) => Properties['LogGroupName'])).size).toBe(logs.length);
});

test('Lambda logs all invocations of functions except the fronts, of which it logs those that fail', () => {
  const levels = dev.all('AWS::Lambda::Function').map(({ id, Properties }) => {
    const { LoggingConfig } = v.parse(
      v.object({ LoggingConfig: v.object({ SystemLogLevel: v.optional(v.string()) }) }),
      Properties,
    );
    return [plain(id).replace(/Function$/, ''), LoggingConfig.SystemLogLevel];
  });
  const fronts = [
    'DiscordEvents',
    'DiscordInteractions',
    'IntegrationApi',
    'SlackEvents',
    'SlackOAuthPages',
    'ToolClient',
    'ToolSignIn',
    'VideoCallback',
  ];
  const expected = levels.map(([name]) => [name, fronts.includes(String(name)) ? 'WARN' : undefined]);
  expect(levels).toEqual(expected);
  expect(levels).toHaveLength(FUNCTIONS);
});

test('Lambda passes lines of each level: the parameter LogLevel alone decides which are logged', () => {
  const functions = dev.all('AWS::Lambda::Function').map(({ Properties }) => Properties['LoggingConfig']);
  // The default of Lambda is INFO, and it drops JSON lines below it.
  expect(functions).toEqual(functions.map(() => expect.objectContaining({ ApplicationLogLevel: 'DEBUG' })));
  expect(dev.parameters['LogLevel']?.Default).toBe('info');
});

test('Lambda does not stop a function whose long task continues in further messages of its queue as an endless loop', () => {
  const allowed = dev
    .all('AWS::Lambda::Function')
    .filter(({ Properties }) => Properties['RecursiveLoop'] === 'Allow')
    .map(({ id }) => plain(id).replace(/Function$/, ''));
  // An erasure that fails goes from the worker to the dead letters and back until it succeeds.
  expect(allowed.toSorted()).toEqual(['DeadLetters', 'LargeWorker', 'Transcriber', 'Worker']);
});

test('the API has every route, throttles, and logs the route but never the path', () => {
  const routes = dev.all('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties['RouteKey']);
  const visited: readonly string[] = [ROUTES.slackInstall, ROUTES.slackRedirect, ROUTES.toolSignIn];
  const method = (path: string) => (visited.includes(path) ? 'GET' : 'POST');
  expect(routes).toEqual(Object.values(ROUTES).map((path) => `${method(path)} ${path}`));
  const [stage] = dev.all('AWS::ApiGatewayV2::Stage');
  expect(stage?.Properties).toMatchObject({
    StageName: '$default',
    DefaultRouteSettings: PLATFORM_THROTTLE,
    // A flood of forged callbacks does not affect the platforms' routes.
    RouteSettings: {
      // Each has its own throttle, so that a flood on one does not affect the others.
      [`POST ${ROUTES.slackEvents}`]: PLATFORM_THROTTLE,
      [`POST ${ROUTES.discordInteractions}`]: PLATFORM_THROTTLE,
      [`POST ${ROUTES.discordEvents}`]: PLATFORM_THROTTLE,
      [`POST ${ROUTES.videoCallback}`]: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
      // Anybody may start an install, and so cause requests to Slack with invalid codes.
      [`GET ${ROUTES.slackInstall}`]: { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 20 },
      [`GET ${ROUTES.slackRedirect}`]: { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 20 },
    },
    AccessLogSettings: { Format: expect.stringContaining('$context.routeKey') },
  });
  expect(JSON.stringify(stage?.Properties['AccessLogSettings'])).not.toMatch(/path|sourceIp|header/i);
});

test('queues are FIFO per thread, encrypted, TLS only, with dead letters after five deliveries and partial batch failures', () => {
  const fifo = {
    FifoQueue: true,
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
    ContentBasedDeduplication: false,
    SqsManagedSseEnabled: true,
  };
  const dead = dev.one('AWS::SQS::Queue', 'TasksDead');
  expect(dead.Properties).toMatchObject({ ...fifo, MessageRetentionPeriod: 14 * 86_400 });
  expect(dev.one('AWS::SQS::Queue', 'Tasks').Properties).toMatchObject({
    ...fifo,
    VisibilityTimeout: 870,
    RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [dead.id, 'Arn'] }, maxReceiveCount: 200 },
  });
  for (const { Properties } of dev.all('AWS::SQS::QueuePolicy')) {
    expect(JSON.stringify(Properties)).toContain(
      '"Condition":{"Bool":{"aws:SecureTransport":"false"}},"Effect":"Deny"',
    );
  }
  const sources = dev.all('AWS::Lambda::EventSourceMapping').map(({ Properties }) => ({
    from: targetOf(Properties['EventSourceArn']),
    to: targetOf(Properties['FunctionName']),
    size: Properties['BatchSize'],
    partial: Properties['FunctionResponseTypes'],
  }));
  const partial = ['ReportBatchItemFailures'];
  expect(sources).toEqual([
    { from: 'Tasks', to: 'WorkerFunction', size: TASKS.batchSize, partial },
    { from: 'TasksAlone', to: 'LargeWorkerFunction', size: 1, partial },
    { from: 'Recordings', to: 'TranscriberFunction', size: 1, partial },
    { from: 'TasksDead', to: 'DeadLettersFunction', size: 1, partial },
  ]);
});

test('a message stays invisible for longer than its function may run', () => {
  for (const [queue, name] of [
    ['Tasks', 'Worker'],
    ['Recordings', 'Transcriber'],
    ['TasksDead', 'DeadLetters'],
  ] as const) {
    const hidden = Number(dev.one('AWS::SQS::Queue', queue).Properties['VisibilityTimeout']);
    const timeout = Number(dev.one('AWS::Lambda::Function', `${name}Function`).Properties['Timeout']);
    expect(hidden).toBeGreaterThanOrEqual(timeout + 30);
  }
});

test('the bucket is private, TLS only, and everything in it expires', () => {
  const media = dev.one('AWS::S3::Bucket', 'Media');
  expect(media.Properties).toMatchObject({
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    LifecycleConfiguration: {
      Rules: [
        { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
        { Prefix: 'inputs/', ExpirationInDays: 1, Status: 'Enabled' },
        { Prefix: 'results/', ExpirationInDays: { Ref: 'MediaDays' }, Status: 'Enabled' },
      ],
    },
  });
  const [policy] = dev.all('AWS::S3::BucketPolicy');
  expect(JSON.stringify(policy?.Properties)).toMatch(/"aws:SecureTransport":"false".*"Effect":"Deny"/u);
  // A first deployment that fails leaves neither: the bucket is empty, and the key has encrypted nothing.
  for (const [type, name] of [
    ['AWS::S3::Bucket', 'Media'],
    ['AWS::KMS::Key', 'Seal'],
  ] as const)
    expect(prod.one(type, name).DeletionPolicy).toBe('RetainExceptOnCreate');
});

describe('tables', () => {
  test('have keys and two indexes that contain nothing but keys', () => {
    expect(dev.one('AWS::DynamoDB::GlobalTable', 'Tokens').Properties['KeySchema']).toEqual(key('pk'));
    expect(dev.one('AWS::DynamoDB::GlobalTable', 'Conversations').Properties).toMatchObject({
      KeySchema: key('pk', 'sk'),
      GlobalSecondaryIndexes: [
        { IndexName: 'open', KeySchema: key('open', 'due'), Projection: { ProjectionType: 'KEYS_ONLY' } },
        { IndexName: 'person', KeySchema: key('by', 'pk'), Projection: { ProjectionType: 'KEYS_ONLY' } },
      ],
    });
  });

  test.each(['Conversations', 'Tokens'])(
    '%s is encrypted, restorable, expires its items, and is billed per request',
    (name) => {
      expect(dev.one('AWS::DynamoDB::GlobalTable', name).Properties).toMatchObject({
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        BillingMode: 'PAY_PER_REQUEST',
        WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: expect.any(Number) },
        Replicas: [
          {
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
            ReadOnDemandThroughputSettings: { MaxReadRequestUnits: expect.any(Number) },
          },
        ],
      });
    },
  );

  test.each(['Conversations', 'Tokens'])(
    '%s cannot be deleted in prod, and is deleted with the stack in other stages',
    (name) => {
      const [there, here] = [prod, dev].map((view) => view.one('AWS::DynamoDB::GlobalTable', name));
      expect(there?.DeletionPolicy).toBe('Retain');
      expect(there?.Properties['Replicas']).toMatchObject([{ DeletionProtectionEnabled: true }]);
      expect(here?.DeletionPolicy).toBe('Delete');
      expect(here?.Properties['Replicas']).toMatchObject([{ DeletionProtectionEnabled: false }]);
    },
  );
});

test('secrets are marked for the local system, and their placeholder does not open the front', () => {
  const kinds = dev.all('AWS::SecretsManager::Secret').map(({ Metadata }) => Metadata?.['parley:secret']);
  expect(new Set(kinds)).toEqual(
    new Set(['discord-bot', 'slack-bot', 'slack-oauth', 'slack-signing', 'upstream']),
  );
  const { Properties } = dev.one('AWS::SecretsManager::Secret', 'SlackSigning');
  expect(Properties['SecretString']).toBeUndefined();
  expect(Properties['GenerateSecretString']).toMatchObject({ GenerateStringKey: 'current' });
});
