import { beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildTemplate } from '../../../../infra/local/template/build.ts';
import { METRIC_UNITS } from '../../../../shared/runtime/metrics.ts';
import { ROUTES } from '../../../../shared/runtime/shared-names.ts';
import { TemplateView, WORKER_SERVICE_OUTPUTS } from '../../template.ts';

let dev: TemplateView;

beforeAll(async () => {
  dev = new TemplateView((await buildTemplate()).template);
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
      EvaluateLowSampleCountPercentile: 'ignore',
      TreatMissingData: 'notBreaching',
    })),
  );
  const latency = alarms.filter(({ MetricName }) => MetricName === 'Latency');
  expect(latency.map(({ ExtendedStatistic }) => ExtendedStatistic)).toEqual(['p99', 'p50']);
});

test('each alarm names a section of the runbook whose outputs and logs exist', async () => {
  const runbook = await readFile(join(import.meta.dirname, '../../../../docs/runbook.md'), 'utf8');
  const headings = new Set(
    [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title?.toLowerCase().replaceAll(' ', '-')),
  );
  const alarms = dev.all('AWS::CloudWatch::Alarm');
  expect(alarms).toHaveLength(24);
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
    expect(Properties['AlarmName']).toBe(`Parley-dev-${anchor ?? ''}`);
  }
  // The long-running worker's are tested in chosen.test.ts.
  const outputs = [...dev.outputs, ...WORKER_SERVICE_OUTPUTS];
  for (const [, output] of runbook.matchAll(/(?:\$\(|`)out (\w+)/g)) expect(outputs).toContain(output);
  const logs = dev.all('AWS::Logs::LogGroup').map(({ Properties }) => Properties['LogGroupName']);
  for (const [, name = ''] of runbook.matchAll(/"\/\$STACK\/([a-z-]+)"/g))
    expect(logs).toContain(`/Parley-dev/${name}`);
});
