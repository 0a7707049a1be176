import { expect, test } from '@jest/globals';
import { readChoices } from '../../infra/choices.ts';

const from = (given: Record<string, unknown>) => readChoices((key) => given[key]);

test('without any: a stage that may be torn down, and the rules applied', () => {
  expect(from({})).toEqual({ stage: 'dev', workerConcurrency: 20, rules: true });
});

test('as the command line gives them', () => {
  const alarmTopic = 'arn:aws:sns:eu-central-1:123456789012:alarms';
  expect(from({ stage: 'prod', workerConcurrency: '50', alarmTopic, rules: 'off' })).toEqual({
    stage: 'prod',
    workerConcurrency: 50,
    alarmTopic,
    rules: false,
  });
});

test.each([
  ['stage', 'Prod!'],
  ['workerConcurrency', '1'],
  ['workerConcurrency', 'many'],
  ['alarmTopic', 'me@example.org'],
  ['rules', 'false'],
])('%s=%s is refused by its name', (name, value) => {
  expect(() => from({ [name]: value })).toThrow(`-c ${name}: `);
});
