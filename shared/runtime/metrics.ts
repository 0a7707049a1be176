import { lambdaTrace, type Trace, traceId } from './trace.ts';

/**
 * What is measured, with its unit in CloudWatch. Each costs by the month, and once more for each value of a dimension: so there is one dimension
 * alone, of three values. Whose question it was is in no line.
 */
export const METRIC_UNITS = {
  /** From the coming of a question to the first words of its answer. */
  FirstWord: 'Milliseconds',
  /** From the coming of a question to the end of its answer. */
  AnswerTime: 'Milliseconds',
  /** From the coming of a question to its worker. */
  QueueWait: 'Milliseconds',
  /** From the worker to the first request to a model: limits, and files that are read first. */
  RequestWait: 'Milliseconds',
  PromptTokens: 'Count',
  CompletionTokens: 'Count',
  /** What an answer, or a request for speech, cost at today's prices. Missing where they are not known. */
  Dollars: 'None',
  /** From when a recording is taken up to when its words are shown; of its last delivery, where it took several. */
  RecordingTime: 'Milliseconds',
  /** How much sound was written out. */
  RecordingSeconds: 'Seconds',
  /** Requests to a model that came to nothing, other than by its limits. */
  FailedRequests: 'Count',
  /** Refusals for a limit (429), by who refused. */
  RateLimited: 'Count',
  /** The relay heard its last heartbeats acknowledged: once a minute. */
  RelayHeartbeat: 'Count',
  /** From the question of the canary to its answer. */
  CanaryTime: 'Milliseconds',
} as const;

export type MetricName = keyof typeof METRIC_UNITS;
export type MetricValues = { readonly [name in MetricName]?: number | undefined };

/** Whose limits there are. */
export type LimitSource = 'slack' | 'discord' | 'upstream';

type Property = string | number | boolean | undefined;

export type MetricFacts = {
  /** The only dimension. */
  readonly source?: LimitSource;
  /** Told beside the values, to be searched for; they make no metric of their own. */
  readonly platform?: Property;
  readonly kind?: Property;
  readonly finish?: Property;
  readonly reason?: Property;
  readonly model?: Property;
  readonly requests?: Property;
  readonly requestId?: Property;
};

/** Writes values down for CloudWatch to count. */
export type Metrics = (event: string, values: MetricValues, facts?: MetricFacts) => void;

/** What an answer names itself may be long. */
const MAX_TEXT = 200;

/**
 * Writes one line for each call to `write`, in CloudWatch's embedded metric format, of which CloudWatch Logs makes metrics by itself: no call,
 * no right, no time. The line is one of the log too (Logs Insights finds it by `event`), and is written whatever the level of the log. Values that
 * are no finite numbers are left out, and a line without values.
 */
export function embeddedMetrics(
  namespace: string,
  write: (line: string) => void,
  now: () => number,
  trace: Trace = lambdaTrace,
): Metrics {
  return (event, values, { source, ...facts } = {}) => {
    const measured = Object.entries(values).filter(isMeasured);
    if (measured.length === 0) return;
    const at = now();
    const told = Object.entries(facts).map(([name, value]) => [name, shortened(value)] as const);
    const line = {
      timestamp: new Date(at).toISOString(),
      level: 'info',
      event,
      trace: traceId(trace()),
      ...Object.fromEntries(told),
      ...(source && { Source: source }),
      ...Object.fromEntries(measured),
      _aws: {
        Timestamp: at,
        CloudWatchMetrics: [
          {
            Namespace: namespace,
            Dimensions: [source ? ['Source'] : []],
            Metrics: measured.map(([Name]) => ({ Name, Unit: isMetric(Name) ? METRIC_UNITS[Name] : 'None' })),
          },
        ],
      },
    };
    write(JSON.stringify(line));
  };
}

const isMetric = (name: string): name is MetricName => Object.hasOwn(METRIC_UNITS, name);

const isMeasured = (entry: [string, number | undefined]): entry is [MetricName, number] =>
  isMetric(entry[0]) && Number.isFinite(entry[1]);

const shortened = (value: Property): Property =>
  typeof value === 'string' ? value.slice(0, MAX_TEXT) : value;
