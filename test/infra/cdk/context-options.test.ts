import { expect, test } from '@jest/globals';
import { findMisspelledOptions, readContextOptions } from '../../../infra/cdk/context-options.ts';

const from = (contextValues: Record<string, unknown>) => readContextOptions((key) => contextValues[key]);

test('the defaults are a stage that may be deleted, and checked rules', () => {
  expect(from({})).toEqual({
    stage: 'dev',
    worker: 'lambda',
    workerConcurrency: 4,
    recordingConcurrency: 20,
    largeConcurrency: 10,
    rules: true,
    relay: false,
    apiRate: 100,
    apiBurst: 200,
    waf: false,
    gradual: false,
    tracing: false,
  });
});

test('the options are read as the command line passes them', () => {
  const alarmTopic = 'arn:aws:sns:eu-central-1:123456789012:alarms';
  const contextValues = { stage: 'prod', workerConcurrency: '50', alarmTopic, rules: 'off', relay: 'on' };
  expect(
    from({
      ...contextValues,
      apiRate: '500',
      apiBurst: '1000',
      waf: 'on',
      gradual: 'on',
      canary: 'C1:U1',
      worker: 'fargate',
      tracing: 'on',
    }),
  ).toEqual({
    stage: 'prod',
    worker: 'fargate',
    workerConcurrency: 50,
    recordingConcurrency: 20,
    largeConcurrency: 10,
    alarmTopic,
    rules: false,
    relay: true,
    apiRate: 500,
    apiBurst: 1000,
    waf: true,
    gradual: true,
    tracing: true,
    canary: { channel: 'C1', person: 'U1' },
  });
});

test.each([
  ['stage', 'Prod!'],
  ['workerConcurrency', '1'],
  ['workerConcurrency', 'many'],
  ['alarmTopic', 'me@example.org'],
  // China and GovCloud regions do not work: docs/deploying.md.
  ['alarmTopic', 'arn:aws-cn:sns:cn-north-1:123456789012:alarms'],
  ['rules', 'false'],
  ['relay', 'yes'],
  ['apiRate', '9'],
  ['apiBurst', '5001'],
  ['waf', 'yes'],
  ['gradual', 'yes'],
  ['canary', 'general'],
  ['worker', 'ecs'],
  ['tracing', 'yes'],
])('%s=%s is rejected with its name', (name, value) => {
  expect(() => from({ [name]: value })).toThrow(`-c ${name}: `);
});

test('a misspelled option is told, and names of the CDK and of others are not', () => {
  expect(findMisspelledOptions(['replay', 'alarmtopic', 'workerConcurency'])).toEqual([
    '-c replay: there is no such option. Did you mean relay?',
    '-c alarmtopic: there is no such option. Did you mean alarmTopic?',
    '-c workerConcurency: there is no such option. Did you mean workerConcurrency?',
  ]);
  const others = ['tree', 'cli-telemetry', 'acknowledged-issue-numbers', '@aws-cdk/core:target-partitions'];
  expect(findMisspelledOptions([...others, 'aws:cdk:bundling-stacks', 'team', 'relay', 'api'])).toEqual([]);
});
