import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { IMAGES } from '../../../../infra/cdk/containers/container.ts';
import { buildTemplate } from '../../../../infra/local/template/build.ts';
import { readRelayConfig } from '../../../../shared/runtime/config/config.ts';
import { plain, TemplateView } from '../../template.ts';

let dev: TemplateView;

beforeAll(async () => {
  dev = new TemplateView((await buildTemplate()).template);
});

test('the relay may read its secret and its bundle, and queue tasks, and nothing else', () => {
  const { ...rights } = dev.rights('DiscordGateway');
  const bundle = Object.keys(rights).filter((on) => on.includes('cdk-hnb659fds-assets'));
  expect(bundle).toHaveLength(1);
  expect(rights).toEqual({
    DiscordBot: ['secretsmanager:GetSecretValue'],
    Conversations: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
    Tokens: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
    Tasks: ['sqs:ChangeMessageVisibility', 'sqs:SendMessage'],
    Recordings: ['sqs:SendMessage'],
    [String(bundle[0])]: ['s3:GetObject'],
  });
  expect(dev.rights('DiscordGatewayExecution')).toEqual({
    DiscordGatewayLogs: ['logs:CreateLogStream', 'logs:PutLogEvents'],
  });
});

test('ECS takes the role of the relay only for this account', () => {
  expect(
    dev.one('AWS::IAM::Role', 'DiscordGatewayRole').Properties['AssumeRolePolicyDocument'],
  ).toMatchObject({
    Statement: [{ Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } } }],
  });
});

test('the relay accepts no connections, and opens HTTPS connections only', () => {
  const { Properties } = dev.one('AWS::EC2::SecurityGroup', 'DiscordGatewayOut');
  expect(Properties).not.toHaveProperty('SecurityGroupIngress');
  expect(Properties['SecurityGroupEgress']).toMatchObject([
    { IpProtocol: 'tcp', FromPort: 443, ToPort: 443 },
  ]);
});

test('the service runs one relay by default, and ends the old one before it starts the new one', () => {
  const { Properties } = dev.one('AWS::ECS::Service', 'DiscordGatewayService');
  expect(Properties).toMatchObject({
    DesiredCount: { Ref: 'DiscordRelayTasks' },
    LaunchType: 'FARGATE',
    DeploymentConfiguration: {
      // With several, half continue with the shards of the others.
      MinimumHealthyPercent: { 'Fn::If': [expect.stringMatching(/^DiscordGatewayAlone/u), 0, 50] },
      MaximumPercent: 100,
    },
  });
  expect(dev.parameters['DiscordRelayTasks']).toMatchObject({ Type: 'Number', Default: 1 });
  const [alone] = Object.values(dev.choices);
  expect(alone).toEqual({ 'Fn::Equals': [{ Ref: 'DiscordRelayTasks' }, 1] });
});

test('the relay runs on Arm, and is replaced two minutes after its last acknowledged heartbeat', async () => {
  const { Properties } = dev.one('AWS::ECS::TaskDefinition', 'DiscordGatewayTask');
  expect(Properties).toMatchObject({
    Cpu: '256',
    Memory: '512',
    RuntimePlatform: { CpuArchitecture: 'ARM64' },
  });
  const script = /process\.exit\([^"]*/u.exec(JSON.stringify(Properties['ContainerDefinitions']))?.[0] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'parley-'));
  const file = join(folder, 'alive');
  const health = () =>
    spawnSync(process.execPath, ['-e', script.replace('/relay/alive', file)], { stdio: 'ignore' }).status;
  expect(script).toContain('/relay/alive');
  expect(health()).not.toBe(0);
  for (const [age, status] of [
    [100, 0],
    [140, 1],
  ] as const) {
    writeFileSync(file, '');
    utimesSync(file, new Date(), new Date(Date.now() - age * 1_000));
    expect(health()).toBe(status);
  }
  rmSync(folder, { recursive: true });
});

test('the images are pinned by digest, and use the Node version of the project', () => {
  const { Properties } = dev.one('AWS::ECS::TaskDefinition', 'DiscordGatewayTask');
  expect(Properties['ContainerDefinitions']).toMatchObject([
    {
      Name: 'Fetch',
      Image: expect.stringMatching(/^public\.ecr\.aws\/aws-cli\/aws-cli@sha256:[0-9a-f]{64}$/u),
    },
    {
      Name: 'Relay',
      Image: expect.stringMatching(/^public\.ecr\.aws\/docker\/library\/node@sha256:[0-9a-f]{64}$/u),
    },
  ]);
  const { dependencies } = v.parse(
    v.object({ dependencies: v.object({ node: v.string() }) }),
    JSON.parse(readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8')),
  );
  expect(IMAGES.node.tag).toBe(`${dependencies.node}-bookworm-slim`);
});

test('the first task has a route to the internet, its permissions and its log', () => {
  const { DependsOn = [] } = dev.one('AWS::ECS::Service', 'DiscordGatewayService');
  const waitsFor = [DependsOn].flat().map(plain);
  for (const name of ['Role', 'ExecutionRole'])
    expect(waitsFor).toContain(`DiscordGateway${name}DefaultPolicy`);
  const ways = dev.all('AWS::EC2::Route', 'AWS::EC2::SubnetRouteTableAssociation');
  expect(ways).toHaveLength(3);
  for (const { id } of ways) expect([DependsOn].flat()).toContain(id);
});

test('an alarm fires when no relay runs, since then no metric arrives', () => {
  expect(dev.one('AWS::CloudWatch::Alarm', 'RelayGone').Properties).toMatchObject({
    Namespace: 'AWS/ECS',
    Statistic: 'SampleCount',
    ComparisonOperator: 'LessThanThreshold',
    Threshold: 1,
    TreatMissingData: 'breaching',
    Dimensions: [{ Name: 'ClusterName' }, { Name: 'ServiceName' }],
  });
});

test('the relay has every environment variable that it reads', () => {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(dev.taskEnv('DiscordGatewayTask'))) {
    const parameter = dev.parameters[value];
    variables[name] = parameter ? String(parameter.Default ?? '') : `https://${value}`;
  }
  const access = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const config = readRelayConfig({ ...variables, ...access });
  expect(config).toMatchObject({
    discordMessages: 'mentions',
    discordGatewayUrl: 'wss://gateway.discord.gg',
  });
});
