import { beforeAll, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { METRIC_UNITS } from '../../shared/runtime/metrics.ts';
import { TemplateView } from './template.ts';

let all: TemplateView;

beforeAll(async () => {
  all = new TemplateView((await buildTemplate()).template);
});

const text = (value: unknown): string => JSON.stringify(value);

/** The used AWS metrics, as their services document them. */
const METRICS_OF_AWS: Readonly<Record<string, readonly string[]>> = {
  'AWS/ApiGateway': ['Latency', 'Count', '4xx', '5xx'],
  'AWS/Lambda': ['Errors', 'Invocations', 'Throttles', 'Duration', 'Url5xxCount'],
  'AWS/SQS': [
    'ApproximateAgeOfOldestMessage',
    'ApproximateNumberOfMessagesVisible',
    'ApproximateNumberOfMessagesNotVisible',
  ],
  'AWS/DynamoDB': [
    'ConsumedReadCapacityUnits',
    'ConsumedWriteCapacityUnits',
    'ReadThrottleEvents',
    'WriteThrottleEvents',
  ],
  'AWS/ECS': ['CPUUtilization'],
};

test('dashboard and alarms use only metrics that are recorded', async () => {
  const filtered = all
    .all('AWS::Logs::MetricFilter')
    .flatMap(({ Properties }) =>
      v.parse(v.array(v.object({ MetricName: v.string() })), Properties['MetricTransformations']),
    )
    .map(({ MetricName }) => MetricName);
  const metrics: Readonly<Record<string, readonly string[]>> = {
    ...METRICS_OF_AWS,
    'Parley-dev': [...Object.keys(METRIC_UNITS), ...filtered],
  };
  const looked = new Set<string>();
  const page = text(all.all('AWS::CloudWatch::Dashboard').map(({ Properties }) => Properties)).replaceAll(
    '\\',
    '',
  );
  for (const [, space = '', name = ''] of page.matchAll(/\["(Parley-dev|AWS\/\w+)","([^"]+)"/gu))
    looked.add(`${space} ${name}`);
  for (const { Properties } of all.all('AWS::CloudWatch::Alarm'))
    for (const one of text(Properties).matchAll(
      /\{[^{}]*"MetricName":"[^"]+"[^{}]*\}|"MetricName":"[^"]+","Namespace":"[^"]+"/gu,
    )) {
      const [, name] = /"MetricName":"([^"]+)"/u.exec(one[0]) ?? [];
      const [, space] = /"Namespace":"([^"]+)"/u.exec(one[0]) ?? [];
      if (name !== undefined && space !== undefined) looked.add(`${space} ${name}`);
    }
  expect(looked.size).toBeGreaterThan(25);
  for (const one of looked) {
    const [space = '', name] = one.split(' ');
    expect(metrics[space]).toContain(name);
  }
});

test('each metric of the project is recorded somewhere', async () => {
  const root = join(import.meta.dirname, '../..');
  const files = ['shared', 'functions'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(root, folder, file),
    ),
  );
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('runtime/metrics.ts'));
  const code = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  for (const name of Object.keys(METRIC_UNITS)) expect(code).toMatch(new RegExp(`\\b${name}:`, 'u'));
});
