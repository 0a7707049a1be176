import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { PROJECT } from '../../infra/cdk/bundle.ts';

type Expected = {
  readonly option: string;
  /** The additional resources by type, without those that every resource needs (roles, logs, networks). */
  readonly added?: Readonly<Record<string, number>>;
  readonly removed?: Readonly<Record<string, number>>;
  /** The types of the changed resources. */
  readonly changed: readonly string[];
  /** The description in docs/configuration.md and docs/deploying.md, as strings of the template. */
  readonly says?: readonly string[];
};

const FUNCTION = 'AWS::Lambda::Function';
const ALARM = 'AWS::CloudWatch::Alarm';
const BOARD = 'AWS::CloudWatch::Dashboard';
const MAPPING = 'AWS::Lambda::EventSourceMapping';
const INVOKE = 'AWS::Lambda::EventInvokeConfig';
const SERVICE = { 'AWS::ECS::Service': 1, 'AWS::ECS::TaskDefinition': 1, 'AWS::EC2::VPC': 1, [ALARM]: 3 };
/** Tasks have no tags by default, and the bill not their cost. */
const TAGGED = '"PropagateTags":"SERVICE"';
/** Their names contain the stack name. */
const NAMED = [ALARM, BOARD, FUNCTION, 'AWS::Logs::LogGroup', 'AWS::Logs::MetricFilter'];
const KEPT = ['AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key', 'AWS::S3::Bucket'];
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms';

/** The trust policy of a role that a service takes only for this account. */
const takenBy = (service: string): string =>
  `"Condition":{"StringEquals":{"aws:SourceAccount":{"Ref":"AWS::AccountId"}}},"Effect":"Allow","Principal":{"Service":"${service}.amazonaws.com"}`;

const CHOICES: Readonly<Record<string, Expected>> = {
  stage: {
    option: 'prod',
    changed: [...NAMED, ...KEPT, 'AWS::IAM::Policy'],
    says: ['"DeletionPolicy":"Retain"'],
  },
  workerConcurrency: { option: '7', changed: [MAPPING], says: ['"MaximumConcurrency":7'] },
  recordingConcurrency: { option: '5', changed: [MAPPING], says: ['"MaximumConcurrency":5'] },
  largeConcurrency: { option: '6', changed: [MAPPING], says: ['"MaximumConcurrency":6'] },
  alarmTopic: { option: TOPIC, changed: [ALARM], says: [`"AlarmActions":["${TOPIC}"]`] },
  relay: { option: 'on', added: SERVICE, changed: [BOARD], says: [TAGGED] },
  apiRate: { option: '300', changed: ['AWS::ApiGatewayV2::Stage'], says: ['"ThrottlingRateLimit":300'] },
  apiBurst: { option: '600', changed: ['AWS::ApiGatewayV2::Stage'], says: ['"ThrottlingBurstLimit":600'] },
  waf: {
    option: 'on',
    added: { 'AWS::WAFv2::WebACL': 1, 'AWS::CloudFront::Distribution': 1 },
    // Those that contain a URL for people.
    changed: [FUNCTION],
  },
  gradual: {
    option: 'on',
    added: {
      'AWS::Lambda::Version': 11,
      'AWS::Lambda::Alias': 11,
      'AWS::CodeDeploy::Application': 1,
      'AWS::CodeDeploy::DeploymentGroup': 11,
      [ALARM]: 11,
      [MAPPING]: 4,
      [INVOKE]: 1,
    },
    removed: { [MAPPING]: 4, [INVOKE]: 1 },
    changed: [
      FUNCTION,
      'AWS::ApiGatewayV2::Integration',
      'AWS::IAM::Policy',
      'AWS::Lambda::Permission',
      'AWS::Scheduler::Schedule',
    ],
    says: [
      'LambdaCanary10Percent5Minutes',
      '"MaximumRetryAttempts":0,"Qualifier":{"Fn::Select"',
      takenBy('codedeploy'),
    ],
  },
  api: {
    option: '20',
    added: {
      [FUNCTION]: 1,
      'AWS::Lambda::Url': 1,
      'AWS::Lambda::Permission': 2,
      'AWS::CloudWatch::Alarm': 2,
    },
    // The workers show its address, the dashboard its alarms.
    changed: [FUNCTION, BOARD],
    says: ['"ReservedConcurrentExecutions":20', '"InvokeMode":"RESPONSE_STREAM"'],
  },
  canary: {
    option: 'C0CANARY:U0ADA',
    added: { [FUNCTION]: 1, 'AWS::Scheduler::Schedule': 1, [INVOKE]: 1, [ALARM]: 1 },
    changed: [BOARD],
    // Lambda would call it twice more when it fails: one question would count as two in a row.
    says: ['"ScheduleExpression":"rate(15 minutes)"', '"MaximumRetryAttempts":0,"Qualifier"'],
  },
  tracing: {
    option: 'on',
    changed: [FUNCTION, 'AWS::IAM::Policy'],
    says: ['xray:PutTraceSegments'],
  },
  worker: {
    option: 'fargate',
    added: { ...SERVICE, 'AWS::ApplicationAutoScaling::ScalingPolicy': 2 },
    removed: { [MAPPING]: 1 },
    changed: ['AWS::IAM::Policy', BOARD],
    says: [TAGGED, takenBy('ecs-tasks')],
  },
  rules: {
    option: 'on',
    // Only acknowledged rules, with the reason.
    changed: [],
    says: ['"cdk_nag"'],
  },
};

/** Resources that others need. */
const BESIDE =
  /^AWS::(?:IAM|Logs)::|^AWS::EC2::(?!VPC$)|^AWS::ECS::Cluster$|^AWS::ApplicationAutoScaling::ScalableTarget$/u;

const Template = v.object({
  Resources: v.record(v.string(), v.looseObject({ Type: v.string(), Metadata: v.optional(v.unknown()) })),
});
type Resources = v.InferOutput<typeof Template>['Resources'];

let before: Resources;
const after = new Map<string, Resources>();

beforeAll(async () => {
  // The AwsSolutions rules take most of the time, so they run only for their own option.
  const rules = 'off';
  const contexts = [
    { rules },
    ...Object.entries(CHOICES).map(([name, { option }]) => ({ rules, [name]: option })),
  ];
  const args = [join(import.meta.dirname, 'synthesise-each.ts'), JSON.stringify(contexts)];
  const env = { ...process.env, CDK_VALIDATION: 'false', NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 30 });
  const [first, ...rest] = v.parse(v.array(Template), JSON.parse(stdout));
  before = first?.Resources ?? {};
  for (const [at, name] of Object.keys(CHOICES).entries()) after.set(name, rest[at]?.Resources ?? {});
});

const counts = (types: readonly string[]): Record<string, number> => {
  const counted = types.filter((type) => !BESIDE.test(type));
  return Object.fromEntries(
    [...Map.groupBy(counted, (type) => type)].map(([type, all]) => [type, all.length]),
  );
};
const text = (resource: Resources[string]): string => JSON.stringify({ ...resource, Metadata: undefined });

const typesOf = (of: Resources, without: Resources): string[] =>
  Object.entries(of).flatMap(([id, { Type }]) => (id in without ? [] : [Type]));

describe('each option alone changes the template as documented, and nothing else', () => {
  test.each(Object.entries(CHOICES))('-c %s', (name, { added = {}, removed = {}, changed, says = [] }) => {
    const now = after.get(name) ?? {};
    expect(counts(typesOf(now, before))).toEqual(added);
    expect(counts(typesOf(before, now))).toEqual(removed);
    const others = Object.entries(before).flatMap(([id, resource]) => {
      const other = now[id];
      return other && text(other) !== text(resource) ? [resource.Type] : [];
    });
    expect([...new Set(others)].toSorted()).toEqual([...changed].toSorted());
    const [was, is] = [JSON.stringify(before), JSON.stringify(now)];
    for (const words of says)
      expect([is.includes(words), was.split(words).length < is.split(words).length]).toEqual([true, true]);
  });

  test('all options are tested here and documented in docs/configuration.md', () => {
    const source = readFileSync(join(PROJECT, 'infra/cdk/context-options.ts'), 'utf8');
    const shape = source.slice(source.indexOf('v.object({'), source.indexOf('});'));
    const keys = [...shape.matchAll(/^ {2}(\w+): v\./gmu)].map(([, name = '']) => name);
    expect(Object.keys(CHOICES).toSorted()).toEqual(keys.toSorted());
    const guide = readFileSync(join(PROJECT, 'docs/configuration.md'), 'utf8');
    const table = guide.slice(guide.indexOf('## Options of a deployment'));
    const documented = [...table.matchAll(/^\| (`[^|]+`) +\|/gmu)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/gu)].map(([, name = '']) => name),
    );
    expect(documented.toSorted()).toEqual(keys.toSorted());
  });
});
