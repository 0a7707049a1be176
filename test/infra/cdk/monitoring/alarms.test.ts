import { beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { buildTemplate } from '../../../../infra/local/template/build.ts';
import { calculateMonthlyCost } from '../../../bench/monthly-cost.ts';
import { METRIC_UNITS } from '../../../../shared/runtime/metrics.ts';
import type { UpstreamErrorKind } from '../../../../shared/upstream/errors.ts';
import { ROUTES } from '../../../../shared/runtime/shared-names.ts';
import { TemplateView, WORKER_SERVICE_OUTPUTS } from '../../template.ts';

let dev: TemplateView;

let template: unknown;

beforeAll(async () => {
  ({ template } = await buildTemplate());
  dev = new TemplateView(template);
});

test('ratings of answers are counted per model from the log of the worker', () => {
  const filters = dev.all('AWS::Logs::MetricFilter').map(({ Properties }) => Properties);
  const rated = filters.filter(({ FilterPattern }) => String(FilterPattern).includes('feedback.given'));
  expect(rated).toMatchObject(
    [
      ['good', 'AnswersRatedGood'],
      ['bad', 'AnswersRatedBad'],
    ].map(([kind, MetricName]) => ({
      FilterPattern: `{ ($.event = "feedback.given") && ($.kind = "${kind}") }`,
      MetricTransformations: [
        { MetricName, MetricNamespace: 'Parley-dev', Dimensions: [{ Key: 'Model', Value: '$.model' }] },
      ],
    })),
  );
});

test('every failure of the model server that affects everyone raises an alarm', () => {
  const filters = dev
    .all('AWS::Logs::MetricFilter')
    .map(({ Properties }) => String(Properties['FilterPattern']));
  const [pattern = ''] = filters.filter((one) => one.includes('answer.failed'));
  const counted = [...pattern.matchAll(/\$\.reason = "([\w-]+)"/gu)].map(([, reason]) => reason);
  const kinds: Record<UpstreamErrorKind, boolean> = {
    // One question or person, or a busy minute. A rejected key has an alarm of its own.
    'bad-request': false,
    auth: false,
    'rate-limited': false,
    'at-capacity': false,
    'too-large': false,
    quota: true,
    'not-found': true,
    'unknown-model': true,
    server: true,
    connection: true,
    timeout: true,
    cut: true,
    malformed: true,
  };
  const general = Object.entries(kinds).flatMap(([kind, isCounted]) => (isCounted ? [kind] : []));
  expect(new Set(counted)).toEqual(new Set(general));
});

test('the dashboard shows every metric, and alarms use existing metrics', () => {
  const [page] = dev.all('AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(page?.Properties['DashboardBody']);
  // The canary's are tested in chosen.test.ts.
  const names = Object.keys(METRIC_UNITS).filter((name) => name !== 'CanaryTime');
  for (const name of names) expect(body).toContain(`\\"Parley-dev\\",\\"${name}\\"`);
  const alarms = dev.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  const first = alarms.filter(({ MetricName }) => MetricName === 'FirstWord');
  expect(first).toMatchObject(
    ['p99', 'p50'].map((ExtendedStatistic) => ({
      Namespace: 'Parley-dev',
      ExtendedStatistic,
      TreatMissingData: 'notBreaching',
    })),
  );
  const latency = alarms.filter(({ MetricName }) => MetricName === 'Latency');
  expect(latency.map(({ ExtendedStatistic }) => ExtendedStatistic)).toEqual(['p99', 'p50']);
});

const metricSchema = v.object({
  Expression: v.optional(v.string()),
  MetricStat: v.optional(v.object({ Metric: v.object({ MetricName: v.string() }) })),
});

test('each alarm can fire in a small deployment: it has data of its own, and is not silent below a number of samples', () => {
  const alarms = dev.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  // An expression has no result where one of its metrics never had data, and AWS does not document that FILL changes that. Lambda writes the metrics of
  // the only expression together.
  const expressions = alarms.flatMap(({ Metrics }) =>
    v.parse(v.optional(v.array(metricSchema), []), Metrics),
  );
  expect(expressions.flatMap(({ Expression }) => Expression ?? [])).toEqual(['called - failed']);
  const names = expressions.flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? []);
  expect(names).toEqual(['Invocations', 'Errors']);
  // With `ignore`, CloudWatch evaluates a p99 from 1,000 samples on: 10/(1 - 0.99).
  const ignoring = alarms.filter((one) => one['EvaluateLowSampleCountPercentile'] === 'ignore');
  expect(ignoring.map(({ AlarmName }) => AlarmName)).toEqual([]);
  // One question alone does not raise an alarm: a percentile has to be exceeded in several periods.
  const percentiles = alarms.filter(({ ExtendedStatistic }) => ExtendedStatistic !== undefined);
  expect(percentiles.map(({ EvaluationPeriods }) => EvaluationPeriods)).toEqual([3, 3, 2, 2]);
});

test('a dead letter that fails again and again raises an alarm, although SQS leaves it out of the age of the oldest message', () => {
  const { id } = dev.one('AWS::SQS::Queue', 'TasksDead');
  const alarms = dev
    .all('AWS::CloudWatch::Alarm')
    .filter(({ Properties }) => String(Properties['AlarmName']).startsWith('Parley-dev-dead-letter-stuck'));
  expect(alarms.map(({ Properties }) => Properties)).toMatchObject([
    { MetricName: 'ApproximateAgeOfOldestMessage', Threshold: 900 },
    // Hidden from one attempt to the next, so one message is in flight nearly all the time. One sample between two attempts does not hide it.
    {
      MetricName: 'ApproximateNumberOfMessagesNotVisible',
      Statistic: 'Average',
      Period: 300,
      EvaluationPeriods: 3,
      Threshold: 0.5,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    },
  ]);
  for (const { Properties } of alarms) expect(JSON.stringify(Properties['Dimensions'])).toContain(id);
});

test('the dashboard has another name in each region, because dashboards are global', () => {
  const [page] = dev.all('AWS::CloudWatch::Dashboard');
  expect(page?.Properties['DashboardName']).toEqual({
    'Fn::Join': ['', ['Parley-dev-', { Ref: 'AWS::Region' }]],
  });
});

test('each alarm names a section of the runbook whose outputs and logs exist', async () => {
  const runbook = await readFile(join(import.meta.dirname, '../../../../docs/runbook.md'), 'utf8');
  const headings = new Set(
    [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title?.toLowerCase().replaceAll(' ', '-')),
  );
  const alarms = dev.all('AWS::CloudWatch::Alarm');
  expect(alarms).toHaveLength(30);
  const ofApi = alarms
    .filter(({ id }) => id.startsWith('Api'))
    .map(({ Properties }) => Properties['MetricName']);
  expect(ofApi).toEqual(['Url5xxCount', 'Throttles']);
  // One metric for the two logs that may name a rejected key.
  const filters = dev.all('AWS::Logs::MetricFilter').map(({ Properties }) => JSON.stringify(Properties));
  expect(filters).toContainEqual(expect.stringContaining(`POST ${ROUTES.slackEvents}`));
  expect(filters.filter((one) => one.includes('api-key.rejected'))).toHaveLength(3);
  for (const { Properties } of alarms) {
    const anchor = /docs\/runbook\.md#([a-z-]+)$/.exec(String(Properties['AlarmDescription']))?.[1];
    expect(headings).toContain(anchor);
    // Several alarms may share a section: their names begin with it.
    expect(`${String(Properties['AlarmName'])}-`).toMatch(new RegExp(`^Parley-dev-${anchor ?? ''}-`, 'u'));
  }
  expect(new Set(alarms.map(({ Properties }) => Properties['AlarmName'])).size).toBe(alarms.length);
  // The long-running worker's are tested in chosen.test.ts.
  const outputs = [...dev.outputs, ...WORKER_SERVICE_OUTPUTS];
  for (const [, output] of runbook.matchAll(/(?:\$\(|`)out (\w+)/g)) expect(outputs).toContain(output);
  const logs = dev.all('AWS::Logs::LogGroup').map(({ Properties }) => Properties['LogGroupName']);
  for (const [, name = ''] of runbook.matchAll(/"\/\$STACK\/([a-z-]+)"/g))
    expect(logs).toContain(`/Parley-dev/${name}`);
});

const readDocument = (name: string) => readFile(join(import.meta.dirname, '../../../..', name), 'utf8');
const CELLS = /^\| (.*) \|$/gmu;

test('the documents say what the deployment costs by the month, and their sums are right', async () => {
  const { rows, fixed, relay } = calculateMonthlyCost(template);
  const [deploying, readme] = [await readDocument('docs/deploying.md'), await readDocument('README.md')];
  const cells = [...deploying.matchAll(CELLS)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  );
  for (const row of rows) expect(cells).toContainEqual(row);
  // The use is rounded too.
  const sums = cells.filter((row) => row.length === 4 && /^[\d,]+$/u.test(row[0] ?? ''));
  expect(sums).toHaveLength(3);
  for (const [, use, alone, withRelay] of sums) {
    expect(Math.abs(Number(use) + fixed - Number(alone))).toBeLessThan(0.011);
    expect(Math.abs(Number(use) + fixed + relay - Number(withRelay))).toBeLessThan(0.011);
  }
  expect(deploying).toContain(
    `about ${Math.round(fixed)} dollars a month without any questions, and ${Math.round(relay)} more with the Discord relay`,
  );
  expect(readme).toContain(`about ${Math.round(fixed)} dollars a month`);
});
