import { PLATFORMS } from '../../../shared/domain/index.ts';
import type { LimitSource, MetricName } from '../../../shared/runtime/index.ts';
import type { MeasuredTimes, QueueSample, TimeStep, TimeWindow } from '../../dashboard/index.ts';
import type { OperatorCall } from '../operator/operator-call.ts';
import { type MetricPoints, type MetricQuery, readMetrics } from './metric-data.ts';
import type { DeploymentQueue } from './queue-levels.ts';

/** What CloudWatch has measured in a time. */
export type Measured = MeasuredTimes & {
  readonly queueHistory: readonly QueueSample[];
  /** The age of the oldest message in the last step with a value, in ms, by the name of the queue. */
  readonly oldestMs: ReadonlyMap<string, number>;
};

const TIMES = [
  'FirstWord',
  'AnswerTime',
  'QueueWait',
  'RequestWait',
] as const satisfies readonly MetricName[];
const SUMS = [
  'PromptTokens',
  'CompletionTokens',
  'Dollars',
  'FailedRequests',
] as const satisfies readonly MetricName[];
const LIMIT_SOURCES: readonly LimitSource[] = [...PLATFORMS, 'upstream'];
const QUEUE_COUNTS = ['ApproximateNumberOfMessagesVisible', 'ApproximateNumberOfMessagesNotVisible'];
/** In seconds. */
const QUEUE_AGE = 'ApproximateAgeOfOldestMessage';
const SECOND_MS = 1_000;

type Query = MetricQuery & { readonly key: string };

/** Returns the metrics of the page. Percentiles of the whole time cannot be computed from those of its steps, so they are metrics too. */
function listQueries(
  namespace: string,
  queues: readonly DeploymentQueue[],
  { stepMs, steps }: TimeWindow,
): readonly Query[] {
  const own = (name: MetricName, statistic: string, periodMs = stepMs): Query => ({
    key: `${name} ${statistic}${periodMs === stepMs ? '' : ' total'}`,
    namespace,
    name,
    statistic,
    periodMs,
  });
  const wholeMs = stepMs * steps;
  return [
    ...TIMES.flatMap((name) => [own(name, 'p50'), own(name, 'p95')]),
    own('AnswerTime', 'SampleCount'),
    ...SUMS.map((name) => own(name, 'Sum')),
    ...LIMIT_SOURCES.map((source) => ({
      ...own('RateLimited', 'Sum'),
      key: `RateLimited ${source}`,
      dimension: ['Source', source] as const,
    })),
    ...queues.flatMap((queue) =>
      [...QUEUE_COUNTS, QUEUE_AGE].map((name) => ({
        key: `${name} ${queue.name}`,
        namespace: 'AWS/SQS',
        name,
        statistic: 'Maximum',
        dimension: ['QueueName', queue.queueName] as const,
        periodMs: stepMs,
      })),
    ),
    ...(['FirstWord', 'AnswerTime'] as const).flatMap((name) => [
      own(name, 'p50', wholeMs),
      own(name, 'p95', wholeMs),
    ]),
  ];
}

/**
 * Reads the metrics of a time, whose steps are whole minutes. `stack` is their namespace. Failed answers are no metric: the caller
 * counts them in the log. Rejects with AwsCallError.
 */
export async function measure(
  call: OperatorCall,
  stack: string,
  queues: readonly DeploymentQueue[],
  window: TimeWindow,
): Promise<Measured> {
  const queries = listQueries(stack, queues, window);
  const untilMs = window.fromMs + window.stepMs * window.steps;
  const points = await readMetrics(call, queries, { fromMs: window.fromMs, untilMs });
  const of = new Map(queries.map(({ key }, index) => [key, points[index] ?? new Map()]));
  const get = (key: string): MetricPoints => of.get(key) ?? new Map();
  const times = Array.from({ length: window.steps }, (_, index) => window.fromMs + index * window.stepMs);
  const steps = times.map((at) => toStep(get, at));
  const total = (pick: (step: TimeStep) => number): number => steps.reduce((sum, one) => sum + pick(one), 0);
  const whole = (name: string) => ({
    p50: highest(get(`${name} p50 total`)),
    p95: highest(get(`${name} p95 total`)),
  });
  return {
    steps,
    totals: {
      answers: total(({ answers }) => answers),
      failed: 0,
      waiting: 0,
      firstWord: whole('FirstWord'),
      total: whole('AnswerTime'),
      tokens: total((step) => step.promptTokens + step.completionTokens),
      dollars: total(({ dollars }) => dollars),
    },
    queueHistory: times.flatMap((at) => toSample(get, queues, at)),
    oldestMs: new Map(
      queues.flatMap(({ name }) => {
        const ages = get(`${QUEUE_AGE} ${name}`);
        const last = times.findLast((at) => ages.has(at));
        return last === undefined ? [] : [[name, (ages.get(last) ?? 0) * SECOND_MS] as const];
      }),
    ),
  };
}

/** A period as long as the whole time has one point, or two where CloudWatch divides it: then the worse one counts. */
const highest = (points: MetricPoints): number | undefined =>
  points.size === 0 ? undefined : Math.max(...points.values());

function toStep(get: (key: string) => MetricPoints, at: number): TimeStep {
  const both = (name: (typeof TIMES)[number]) => ({
    p50: get(`${name} p50`).get(at),
    p95: get(`${name} p95`).get(at),
  });
  const sum = (key: string): number => get(key).get(at) ?? 0;
  return {
    at,
    answers: sum('AnswerTime SampleCount'),
    failed: 0,
    firstWord: both('FirstWord'),
    total: both('AnswerTime'),
    queueWait: both('QueueWait'),
    requestWait: both('RequestWait'),
    promptTokens: sum('PromptTokens Sum'),
    completionTokens: sum('CompletionTokens Sum'),
    dollars: sum('Dollars Sum'),
    limited: LIMIT_SOURCES.reduce((count, source) => count + sum(`RateLimited ${source}`), 0),
    failedRequests: sum('FailedRequests Sum'),
  };
}

/** Without a point CloudWatch knows nothing of the queue at that time. */
function toSample(
  get: (key: string) => MetricPoints,
  queues: readonly DeploymentQueue[],
  at: number,
): QueueSample[] {
  const waiting = queues.flatMap(({ name }) => {
    const counts = QUEUE_COUNTS.flatMap((metric) => get(`${metric} ${name}`).get(at) ?? []);
    return counts.length === 0 ? [] : [[name, counts.reduce((sum, one) => sum + one, 0)] as const];
  });
  return waiting.length === 0 ? [] : [{ at, waiting: Object.fromEntries(waiting) }];
}
