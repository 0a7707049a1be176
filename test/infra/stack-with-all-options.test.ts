import { beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { IMAGES } from '../../infra/cdk/containers/container.ts';
import { synthesize } from '../../infra/local/template/build.ts';
import { readCanaryConfig, readWorkerServiceConfig } from '../../shared/runtime/config/config.ts';
import { ROUTES } from '../../shared/runtime/shared-names.ts';
import { compareWithRunbook, listSilentAlarms } from './alarm-facts.ts';
import { plain, TemplateView, WORKER_SERVICE_OUTPUTS } from './template.ts';

/** The deployment with all options, under the AwsSolutions rules. */
let all: TemplateView;

beforeAll(async () => {
  const out = await mkdtemp(join(tmpdir(), 'parley-chosen-'));
  await synthesize(out, {
    stage: 'prod',
    rules: 'on',
    'aws:cdk:bundling-stacks': [],
    waf: 'on',
    gradual: 'on',
    canary: 'C0CANARY:U0ADA',
    relay: 'on',
    worker: 'fargate',
    tracing: 'on',
    workerConcurrency: '7',
    alarmTopic: 'arn:aws:sns:eu-central-1:123456789012:alarms',
    api: '20',
    apiRate: '300',
    apiBurst: '600',
  });
  all = new TemplateView(JSON.parse(await readFile(join(out, 'Parley.template.json'), 'utf8')));
  await rm(out, { recursive: true });
});

/** Variables of Lambda itself, and a parameter. */
const GIVEN = { AWS_REGION: 'r', AWS_ACCESS_KEY_ID: 'i', AWS_SECRET_ACCESS_KEY: 'k', LOG_LEVEL: 'info' };
const text = (value: unknown): string => JSON.stringify(value);

test('-c apiRate and -c apiBurst limit each platform route', () => {
  const [stage] = all.all('AWS::ApiGatewayV2::Stage');
  const throttle = { ThrottlingRateLimit: 300, ThrottlingBurstLimit: 600 };
  expect(stage?.Properties).toMatchObject({
    DefaultRouteSettings: throttle,
    RouteSettings: {
      [`POST ${ROUTES.slackEvents}`]: throttle,
      [`POST ${ROUTES.discordInteractions}`]: throttle,
    },
  });
});

test('-c waf=on: the platforms get the CloudFront URL, which passes signed requests unchanged and caches nothing', () => {
  const [distribution] = all.all('AWS::CloudFront::Distribution');
  expect(distribution?.Properties['DistributionConfig']).toMatchObject({
    WebACLId: { 'Fn::GetAtt': ['Firewall', 'Arn'] },
    DefaultCacheBehavior: {
      AllowedMethods: expect.arrayContaining(['POST']),
      // CachingDisabled and AllViewerExceptHostHeader, as CloudFront names them.
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      Compress: false,
      ViewerProtocolPolicy: 'https-only',
    },
  });
  for (const name of ['SlackEventsUrl', 'DiscordInteractionsUrl', 'DiscordEventsUrl'])
    expect(text(all.output(name))).toContain(distribution?.id);
  expect(text(all.env('Worker')['PUBLIC_URL'])).toContain('Edge');
  expect(text(all.env('SlackOAuthPages')['PUBLIC_URL'])).toContain('Edge');
});

test("-c waf=on: unsigned requests are blocked, and so is an address that sends a fifth of the API's limit", () => {
  const [acl] = all.all('AWS::WAFv2::WebACL');
  expect(acl?.Properties).toMatchObject({
    Scope: 'CLOUDFRONT',
    DefaultAction: { Allow: {} },
    Rules: [
      { Name: 'Unsigned', Action: { Block: {} } },
      {
        Name: 'Flood',
        Action: { Block: {} },
        Statement: {
          RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: 18_000 },
        },
      },
    ],
  });
  const rules = text(acl?.Properties['Rules']);
  expect(rules).toContain('"SearchString":"/slack/events"');
  expect(rules).toContain('"SearchString":"/discord/"');
  // A sample would contain the secret of a callback URL.
  expect(rules).not.toContain('"SampledRequestsEnabled":true');
});

test('-c gradual=on: functions are invoked by an alias that CodeDeploy shifts to the new version', () => {
  const aliases = all.all('AWS::Lambda::Alias');
  const shifted = ['SlackEvents', 'DiscordInteractions', 'Worker', 'Transcriber', 'Sweeper'];
  for (const name of shifted) {
    const alias = aliases.find(({ id }) => plain(id) === `${name}Live`);
    expect(alias?.UpdatePolicy).toMatchObject({
      CodeDeployLambdaAliasUpdate: {
        ApplicationName: { Ref: 'Releases' },
        DeploymentGroupName: { Ref: expect.stringMatching(new RegExp(`^${name}Shift`, 'u')) },
      },
    });
  }
  const called = [
    ...all.all('AWS::ApiGatewayV2::Integration').map(({ Properties }) => Properties['IntegrationUri']),
    ...all.all('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties['FunctionName']),
    all.one('AWS::Scheduler::Schedule', 'Sweep').Properties['Target'],
  ];
  const ids = aliases.map(({ id }) => id);
  expect(called.length).toBeGreaterThan(8);
  for (const one of called) expect(ids.filter((id) => text(one).includes(id))).toHaveLength(1);
});

test('-c gradual=on: an alarm rolls a deployment back, and CodeDeploy may change that alias only', () => {
  const groups = all.all('AWS::CodeDeploy::DeploymentGroup');
  // All except the canary, which no request waits for, the function that the workers invoke by its name, and the one with an address of its own.
  expect(groups).toHaveLength(all.all('AWS::Lambda::Function').length - 3);
  for (const { Properties } of groups) {
    expect(Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AlarmConfiguration: {
        Enabled: true,
        Alarms: [{ Name: { Ref: expect.stringMatching(/ReleaseFails/u) } }],
      },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
      },
    });
  }
  expect(all.rights('WorkerShift')).toEqual({
    WorkerFunction: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
    'WorkerFunction:live': [
      'lambda:GetAlias',
      'lambda:GetProvisionedConcurrencyConfig',
      'lambda:UpdateAlias',
    ],
    '*': ['cloudwatch:DescribeAlarms'],
  });
  expect(all.env('Worker')['RELEASE']).toMatch(/^\d{4}-/u);
});

test('-c canary=...: a function with access to two secrets runs every quarter of an hour; two failures raise an alarm', () => {
  const read = ['secretsmanager:GetSecretValue'];
  const logs = ['logs:CreateLogStream', 'logs:PutLogEvents'];
  expect(all.rights('Canary')).toEqual({ CanaryLogs: logs, SlackSigning: read, SlackBot: read });
  expect(() =>
    readCanaryConfig({ ...all.env('Canary'), ...GIVEN, PUBLIC_URL: 'https://a', SLACK_API_URL: 'https://b' }),
  ).not.toThrow();
  expect(all.one('AWS::Scheduler::Schedule', 'AskCanary').Properties).toMatchObject({
    ScheduleExpression: 'rate(15 minutes)',
  });
  expect(all.one('AWS::CloudWatch::Alarm', 'CanaryUnanswered').Properties).toMatchObject({
    EvaluationPeriods: 2,
    Period: 900,
  });
  expect(text(all.all('AWS::CloudWatch::Dashboard'))).toContain('CanaryTime');
});

test('-c tracing=on: Lambda sends the traces of fronts, the workers those of their tasks, nobody else any', () => {
  const traced = all
    .all('AWS::Lambda::Function')
    .filter(({ Properties }) => Properties['TracingConfig'] !== undefined);
  expect(traced.map(({ id }) => plain(id))).toEqual([
    'SlackEventsFunction',
    'DiscordInteractionsFunction',
    'DiscordEventsFunction',
  ]);
  const put = ['xray:PutTraceSegments'];
  const may = all.all('AWS::IAM::Role').flatMap(({ id }) => {
    const name = plain(id).replace(/Role$/u, '');
    const rights = plain(id).endsWith('Role') ? (all.rights(name)['*'] ?? []) : [];
    return rights.some((one) => one.startsWith('xray:')) ? [[name, rights] as const] : [];
  });
  const active = ['xray:PutTelemetryRecords', ...put];
  expect(Object.fromEntries(may)).toEqual({
    SlackEvents: active,
    DiscordInteractions: active,
    DiscordEvents: active,
    Worker: put,
    LargeWorker: put,
    TaskService: put,
    Transcriber: put,
  });
  for (const env of [all.env('Worker'), all.env('Transcriber'), all.taskEnv('TaskServiceTask')])
    expect(env['TRACING']).toBe('on');
});

test('-c worker=fargate: the container has the permissions of the function, and may read its own bundle', () => {
  const { ...rights } = all.rights('TaskService');
  const files = Object.keys(rights).filter((on) => on.includes('cdk-hnb659fds-assets'));
  // The worker and the watchdog.
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect(rights[file]).toEqual(['s3:GetObject']);
    delete rights[file];
  }
  const { WorkerLogs, ...others } = all.rights('Worker');
  expect(rights).toEqual(others);
  expect(rights['TasksAlone']).toEqual(['sqs:SendMessage']);
  expect(rights['Tasks']).toEqual([
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:ReceiveMessage',
    'sqs:SendMessage',
  ]);
  // The function keeps tasks that are large or may crash.
  expect(all.rights('LargeWorker')['TasksAlone']).toContain('sqs:ReceiveMessage');
  const sources = all.all('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties);
  expect(sources.map(({ EventSourceArn }) => text(EventSourceArn)).join()).not.toMatch(/"Tasks[0-9A-F]{8}"/u);
  // It writes to the log of the function, which alarms and the runbook read.
  expect(all.rights('TaskServiceExecution')).toEqual({ WorkerLogs });
});

test('-c worker=fargate: the container has every environment variable that it reads', () => {
  const variables = Object.fromEntries(
    Object.entries(all.taskEnv('TaskServiceTask')).map(([name, value]) => {
      const parameter = all.parameters[value];
      return [name, parameter ? String(parameter.Default ?? '') : `https://${value}`];
    }),
  );
  const parameters = { UPSTREAM_BASE_URL: 'https://m', UPSTREAM_MODEL: 'm', PUBLIC_URL: 'https://p' };
  const config = readWorkerServiceConfig({
    ...variables,
    ...GIVEN,
    ...parameters,
    STAGE: 'prod',
    DRAIN_SECONDS: '100',
    TRACING: 'on',
  });
  expect(config.drainSeconds).toBe(100);
  expect(all.taskEnv('TaskServiceTask')['DRAIN_SECONDS']).toBe('100');
});

test('-c worker=fargate: a container has two minutes to stop, and one always runs, also during deployments', () => {
  const { Properties } = all.one('AWS::ECS::TaskDefinition', 'TaskServiceTask');
  expect(Properties).toMatchObject({
    Cpu: '256',
    Memory: '512',
    RuntimePlatform: { CpuArchitecture: 'ARM64' },
  });
  const containers = v.parse(v.array(v.record(v.string(), v.unknown())), Properties['ContainerDefinitions']);
  expect(containers.map(({ Name }) => Name)).toEqual(['Fetch', 'FetchWatchdogThread', 'Worker']);
  expect(containers.at(-1)).toMatchObject({
    StopTimeout: 120,
    Image: `${IMAGES.node.repository}@${IMAGES.node.digest}`,
    ReadonlyRootFilesystem: true,
    DependsOn: ['Fetch', 'FetchWatchdogThread'].map((ContainerName) => ({
      ContainerName,
      Condition: 'SUCCESS',
    })),
  });
  const service = all.one('AWS::ECS::Service', 'TaskService').Properties;
  expect(service).toMatchObject({
    DeploymentConfiguration: { MinimumHealthyPercent: 100, MaximumPercent: 200 },
  });
  // A deployment would reset it.
  expect(service).not.toHaveProperty('DesiredCount');
  expect(all.one('AWS::EC2::SecurityGroup', 'TaskServiceOut').Properties).not.toHaveProperty(
    'SecurityGroupIngress',
  );
});

test('-c worker=fargate: the age of the oldest waiting question scales the containers', () => {
  const [target] = all.all('AWS::ApplicationAutoScaling::ScalableTarget');
  expect(target?.Properties).toMatchObject({ MinCapacity: 1, MaxCapacity: 7, ServiceNamespace: 'ecs' });
  const policies = all.all('AWS::ApplicationAutoScaling::ScalingPolicy');
  expect(policies).toHaveLength(2);
  for (const { id, Properties } of policies) {
    expect(Properties['ScalingTargetId']).toEqual({ Ref: target?.id });
    const alarms = all.all('AWS::CloudWatch::Alarm');
    const by = alarms.filter(({ Properties: of }) => text(of['AlarmActions'] ?? '').includes(id));
    expect(by).toHaveLength(1);
    expect(text(by[0]?.Properties['Metrics'])).toContain('ApproximateAgeOfOldestMessage');
  }
  const missing = { MetricName: 'CPUUtilization', Statistic: 'SampleCount', TreatMissingData: 'breaching' };
  expect(all.one('AWS::CloudWatch::Alarm', 'WorkerGone').Properties).toMatchObject(missing);
});

const SCALING = ['TaskServiceWorkersNeeded', 'TaskServiceWorkersIdle'];

test('each alarm has a section in the runbook and the other way round, and each graph a row', async () => {
  const { linked, sections, outputs, graphs, unexplained, hidden } = await compareWithRunbook(all);
  expect(sections).toEqual(linked);
  expect(all.outputs).toEqual(expect.arrayContaining([...outputs, ...WORKER_SERVICE_OUTPUTS]));
  expect([graphs.length > 20, unexplained]).toEqual([true, []]);
  expect(hidden.filter((id) => !id.endsWith('ReleaseFails'))).toEqual(SCALING);
});

test('-c alarmTopic=...: every alarm notifies the topic, which is in this region, except those that scale containers', () => {
  const silent = listSilentAlarms(all, 'arn:aws:sns:eu-central-1:123456789012:alarms');
  expect(silent.map(({ id }) => plain(id))).toEqual(SCALING);
  expect(silent.filter(({ Properties }) => /nobody is notified/u.test(text(Properties)))).toHaveLength(2);
  expect(text(all.all('AWS::CloudWatch::Alarm'))).toContain('"AlarmName":"Parley-release-fails-Worker"');
  expect(text(all.rules['AlarmTopicRegion'])).toContain('[{"Ref":"AWS::Region"},"eu-central-1"]');
});
