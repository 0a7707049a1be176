import type { PlatformName } from '../domain/index.ts';
import { getLambdaTrace, type Trace, parseTraceId } from './trace.ts';

/**
 * The metrics and their CloudWatch units. Each has a monthly cost, per value of its dimension: so there is one
 * dimension with three values. No metric line contains a person.
 */
export const METRIC_UNITS = {
  /** From the arrival of a question to the first text of its answer. */
  FirstWord: 'Milliseconds',
  /** From the arrival of a question to the end of its answer. */
  AnswerTime: 'Milliseconds',
  /** From the arrival of a question to the start of its worker. */
  QueueWait: 'Milliseconds',
  /**
   * From the start of the worker to the first request to a model: rate limits, and files that are read first.
   */
  RequestWait: 'Milliseconds',
  PromptTokens: 'Count',
  CompletionTokens: 'Count',
  /** The cost of an answer or speech request at today's prices. Absent if a price is unknown. */
  Dollars: 'None',
  /** From the start of a transcription to its result; if it took several deliveries, of the last one. */
  RecordingTime: 'Milliseconds',
  /** The duration of the transcribed audio. */
  RecordingSeconds: 'Seconds',
  /** Failed requests to a model, without rate limits. */
  FailedRequests: 'Count',
  /** 429 responses, by source. */
  RateLimited: 'Count',
  /** The relay's last heartbeats were acknowledged: once a minute. */
  RelayHeartbeat: 'Count',
  /** From the canary's question to its answer. */
  CanaryTime: 'Milliseconds',
} as const;

export type MetricName = keyof typeof METRIC_UNITS;
export type MetricValues = { readonly [name in MetricName]?: number | undefined };

/** Who enforces a rate limit. */
export type LimitSource = PlatformName | 'upstream';

type Property = string | number | boolean | undefined;

export type MetricFacts = {
  /** The only dimension. */
  readonly source?: LimitSource;
  /** Fields for log searches; they create no metrics. */
  readonly platform?: Property;
  readonly kind?: Property;
  readonly finish?: Property;
  readonly reason?: Property;
  readonly model?: Property;
  readonly requests?: Property;
  readonly requestId?: Property;
  readonly weightVersion?: Property;
  readonly isUsageEstimated?: Property;
  readonly omitted?: Property;
  /** The requests of the task: see `takeCalls`. */
  readonly calls?: Property;
};

/** Writes metric values for CloudWatch. */
export type Metrics = (event: string, values: MetricValues, facts?: MetricFacts) => void;

/** Values from a model's response may be long. */
const MAX_TEXT_LENGTH = 200;

/**
 * Writes one line per call in CloudWatch's embedded metric format, from which CloudWatch Logs creates the
 * metrics: no API call, no permission, no latency. The line is also a log line (Logs Insights finds it by
 * `event`), and does not depend on the log level. Omits values that are not finite numbers, and lines without
 * values.
 */
export function createEmbeddedMetrics(
  namespace: string,
  write: (line: string) => void,
  now: () => number,
  trace: Trace = getLambdaTrace,
): Metrics {
  return (event, values, { source, ...facts } = {}) => {
    const metrics = Object.entries(values).filter(isMetricValue);
    if (metrics.length === 0) return;
    const at = now();
    const truncatedFacts = Object.entries(facts).map(
      ([name, value]) => [name, name === 'calls' ? value : truncate(value)] as const,
    );
    const line = {
      timestamp: new Date(at).toISOString(),
      level: 'info',
      event,
      trace: parseTraceId(trace()),
      ...Object.fromEntries(truncatedFacts),
      ...(source && { Source: source }),
      ...Object.fromEntries(metrics),
      _aws: {
        Timestamp: at,
        CloudWatchMetrics: [
          {
            Namespace: namespace,
            Dimensions: [source ? ['Source'] : []],
            Metrics: metrics.map(([Name]) => ({ Name, Unit: isMetric(Name) ? METRIC_UNITS[Name] : 'None' })),
          },
        ],
      },
    };
    write(JSON.stringify(line));
  };
}

const isMetric = (name: string): name is MetricName => Object.hasOwn(METRIC_UNITS, name);

const isMetricValue = (entry: [string, number | undefined]): entry is [MetricName, number] =>
  isMetric(entry[0]) && Number.isFinite(entry[1]);

const truncate = (value: Property): Property =>
  typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : value;
