import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  type Metric,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { five, measured } from './alarm-rule.ts';
import type { Watched } from './alarm-rules.ts';

const WIDTH = 8;
/** Who refuses for a limit: the values of the one dimension that is measured. */
const LIMIT_SOURCES = ['slack', 'discord', 'upstream'];

/** One page on which everything can be seen that alarms watch, and what people wait for. */
export function dashboard(stack: Stack, on: Watched): void {
  const page = new Dashboard(stack, 'Dashboard', {
    dashboardName: stack.stackName,
    defaultInterval: Duration.hours(24),
  });
  const own = (name: string, statistic: string, label?: string): Metric =>
    measured(stack, name, statistic, label ? { label } : {});
  page.addWidgets(
    new SingleValueWidget({
      title: 'In all',
      width: 24,
      setPeriodToTimeRange: true,
      metrics: [
        own('AnswerTime', Stats.SAMPLE_COUNT, 'answers'),
        own('FirstWord', Stats.percentile(50), 'first word, p50'),
        own('Dollars', Stats.SUM, 'dollars'),
        on.api.latency('p99'),
      ],
    }),
  );
  page.addWidgets(...people(stack, on), ...limits(stack, on), ...functions(on), ...stores(on));
}

/** What people wait for. */
function people(stack: Stack, { api, messaging }: Watched): IWidget[] {
  return [
    graph('Acknowledgement (ms)', [api.latency('p50'), api.latency('p99')]),
    graph('First word (ms)', both(stack, 'FirstWord')),
    graph('Whole answer (ms)', both(stack, 'AnswerTime')),
    graph('Wait for a worker (ms)', both(stack, 'QueueWait')),
    graph('Wait for the models (ms)', both(stack, 'RequestWait')),
    graph('Oldest task (s)', [
      messaging.tasks.metricApproximateAgeOfOldestMessage(),
      messaging.voice.metricApproximateAgeOfOldestMessage(),
      messaging.dead.metricApproximateAgeOfOldestMessage(),
    ]),
  ];
}

function limits(stack: Stack, { api, workerService, relay, canary }: Watched): IWidget[] {
  return [
    graph('Tokens', [
      measured(stack, 'PromptTokens', Stats.SUM),
      measured(stack, 'CompletionTokens', Stats.SUM),
    ]),
    graph('Dollars', [measured(stack, 'Dollars', Stats.SUM)]),
    graph('Recordings: sound (s)', [measured(stack, 'RecordingSeconds', Stats.SUM)]),
    graph('Recordings: time to write out one (ms)', both(stack, 'RecordingTime')),
    graph('429s from', [
      ...LIMIT_SOURCES.map((Source) => measured(stack, 'RateLimited', Stats.SUM, { Source, label: Source })),
      measured(stack, 'FailedRequests', Stats.SUM, { label: 'models, failed otherwise' }),
    ]),
    graph('API', [
      api.api.metricCount(five),
      api.api.metricClientError(five),
      api.api.metricServerError(five),
    ]),
    ...(workerService ? [graph('Containers of the worker', [workerService.running])] : []),
    ...(relay
      ? [graph('Relay', [relay.running, measured(stack, 'RelayHeartbeat', Stats.SUM), relay.stopped])]
      : []),
    ...(canary ? [graph('Canary (ms)', [measured(stack, 'CanaryTime', Stats.MAXIMUM)])] : []),
  ];
}

function functions({ worker, largeWorker, transcriber, deadLetters, sweeper }: Watched): IWidget[] {
  const all = { worker, 'large-worker': largeWorker, transcriber, 'dead-letters': deadLetters, sweeper };
  const of = (pick: (one: Watched['worker']) => Metric): IMetric[] =>
    Object.entries(all).map(([label, one]) => pick(one).with({ label }));
  return [
    graph(
      'Errors',
      of(({ lambda }) => lambda.metricErrors(five)),
    ),
    graph(
      'Throttled',
      of(({ lambda }) => lambda.metricThrottles(five)),
    ),
    graph(
      'Longest (ms)',
      of(({ lambda }) => lambda.metricDuration({ ...five, statistic: Stats.MAXIMUM })),
    ),
  ];
}

function stores({ storage: { conversations, tokens } }: Watched): IWidget[] {
  const used = (name: string): IMetric[] =>
    Object.entries({ conversations, tokens }).map(([label, table]) => table.metric(name, { ...five, label }));
  return [
    graph('Units written', used('ConsumedWriteCapacityUnits')),
    graph('Units read', used('ConsumedReadCapacityUnits')),
  ];
}

const both = (stack: Stack, name: string): IMetric[] =>
  [50, 99].map((n) => measured(stack, name, Stats.percentile(n), { label: `p${n}` }));

const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: WIDTH });
