import { expect, test } from '@jest/globals';
import { type Schema, Validator } from '@cfworker/json-schema';
import { createEmbeddedMetrics, type MetricFacts, type MetricValues } from '../../shared/runtime/metrics.ts';

/** Of CloudWatch's specification of the embedded metric format, with the units that are used. */
const EMBEDDED_METRIC_FORMAT: Schema = {
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      properties: {
        Timestamp: { type: 'integer' },
        CloudWatchMetrics: {
          type: 'array',
          items: {
            type: 'object',
            required: ['Namespace', 'Dimensions', 'Metrics'],
            properties: {
              Namespace: { type: 'string', minLength: 1, maxLength: 1024 },
              Dimensions: {
                type: 'array',
                minItems: 1,
                items: {
                  type: 'array',
                  maxItems: 30,
                  items: { type: 'string', minLength: 1, maxLength: 250 },
                },
              },
              Metrics: {
                type: 'array',
                minItems: 1,
                maxItems: 100,
                items: {
                  type: 'object',
                  required: ['Name'],
                  properties: {
                    Name: { type: 'string', minLength: 1, maxLength: 1024 },
                    Unit: { enum: ['Milliseconds', 'Count', 'None'] },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

function written(event: string, values: MetricValues, facts?: MetricFacts): string[] {
  const lines: string[] = [];
  const metrics = createEmbeddedMetrics(
    'Parley-dev',
    (line) => lines.push(line),
    () => 1_700_000_000_000,
  );
  metrics(event, values, facts);
  return lines;
}

test('writes one line in the embedded metric format that contains its metrics and dimensions', () => {
  const [line = ''] = written('slack.limited', { RateLimited: 1 }, { source: 'slack', platform: 'slack' });
  const read: unknown = JSON.parse(line);
  expect(new Validator(EMBEDDED_METRIC_FORMAT, '2020-12').validate(read).errors).toEqual([]);
  expect(read).toEqual({
    timestamp: '2023-11-14T22:13:20.000Z',
    level: 'info',
    event: 'slack.limited',
    platform: 'slack',
    Source: 'slack',
    RateLimited: 1,
    _aws: {
      Timestamp: 1_700_000_000_000,
      CloudWatchMetrics: [
        {
          Namespace: 'Parley-dev',
          Dimensions: [['Source']],
          Metrics: [{ Name: 'RateLimited', Unit: 'Count' }],
        },
      ],
    },
  });
});

test('leaves out missing values, and writes no line without any', () => {
  const [line = ''] = written('answer.ended', { FirstWord: 7, Dollars: undefined, PromptTokens: Number.NaN });
  expect(JSON.parse(line)).toMatchObject({
    FirstWord: 7,
    _aws: {
      CloudWatchMetrics: [{ Dimensions: [[]], Metrics: [{ Name: 'FirstWord', Unit: 'Milliseconds' }] }],
    },
  });
  expect(line).not.toContain('Dollars');
  expect(line).not.toContain('PromptTokens');
  expect(written('answer.ended', {})).toEqual([]);
});

test('creates no metric or dimension from unknown names, and cuts long texts', () => {
  // As from values that hold more than their types say.
  const values = { FirstWord: 1, U012345: 2 };
  const [line = ''] = written('answer.ended', values, { model: 'm'.repeat(1_000) });
  expect(line).not.toContain('U012345');
  expect(line.length).toBeLessThan(700);
  expect(line.split('\n')).toHaveLength(1);
});
