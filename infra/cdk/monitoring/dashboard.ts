import { Duration, type Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  type Metric,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { PLATFORMS } from '../../../shared/domain/index.ts';
import type { LimitSource } from '../../../shared/runtime/index.ts';
import { FIVE_MINUTE_SUM, createOwnMetric } from '../alarm-rule.ts';
import type { MonitoredResources } from './alarm-rules.ts';

const WIDTH = 8;
/** Values of the `Source` dimension of rate limit metrics. */
const LIMIT_SOURCES: readonly LimitSource[] = [...PLATFORMS, 'upstream'];

/** Creates one page with the alarms, all monitored metrics, and what people wait for. docs/runbook.md says what each graph is for. */
export function createDashboard(stack: Stack, on: MonitoredResources, alarms: IAlarm[]): void {
  const page = new Dashboard(stack, 'Dashboard', {
    // Dashboards are global, unlike everything else here: the same stage may exist in another region.
    dashboardName: `${stack.stackName}-${stack.region}`,
    defaultInterval: Duration.hours(24),
  });
  const own = (name: string, statistic: string, label?: string): Metric =>
    createOwnMetric(stack, name, statistic, label ? { label } : {});
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
  page.addWidgets(new AlarmStatusWidget({ title: 'Alarms', width: 24, height: 4, alarms }));
  page.addWidgets(
    ...createPeopleWidgets(stack, on),
    ...createUsageWidgets(stack, on),
    ...createFunctionWidgets(on),
    ...createTableWidgets(on),
  );
}

/** Waiting times of people. */
function createPeopleWidgets(stack: Stack, { api, messaging }: MonitoredResources): IWidget[] {
  return [
    createGraph('Acknowledgement (ms)', [api.latency('p50'), api.latency('p99')]),
    createGraph('First word (ms)', createPercentiles(stack, 'FirstWord')),
    createGraph('Whole answer (ms)', createPercentiles(stack, 'AnswerTime')),
    createGraph('Wait for a worker (ms)', createPercentiles(stack, 'QueueWait')),
    createGraph('Wait for the models (ms)', createPercentiles(stack, 'RequestWait')),
    createGraph('Oldest task (s)', [
      messaging.tasks.metricApproximateAgeOfOldestMessage(),
      messaging.voice.metricApproximateAgeOfOldestMessage(),
      messaging.dead.metricApproximateAgeOfOldestMessage(),
    ]),
  ];
}

function createUsageWidgets(
  stack: Stack,
  { api, workerService, relay, canary }: MonitoredResources,
): IWidget[] {
  return [
    createGraph('Tokens', [
      createOwnMetric(stack, 'PromptTokens', Stats.SUM),
      createOwnMetric(stack, 'CompletionTokens', Stats.SUM),
    ]),
    createGraph('Dollars', [createOwnMetric(stack, 'Dollars', Stats.SUM)]),
    createGraph('Recordings: sound (s)', [createOwnMetric(stack, 'RecordingSeconds', Stats.SUM)]),
    createGraph('Recordings: time to write out one (ms)', createPercentiles(stack, 'RecordingTime')),
    createGraph('429s from', [
      ...LIMIT_SOURCES.map((Source) =>
        createOwnMetric(stack, 'RateLimited', Stats.SUM, { Source, label: Source }),
      ),
      createOwnMetric(stack, 'FailedRequests', Stats.SUM, { label: 'models, failed otherwise' }),
    ]),
    createGraph('API', [
      api.api.metricCount(FIVE_MINUTE_SUM),
      api.api.metricClientError(FIVE_MINUTE_SUM),
      api.api.metricServerError(FIVE_MINUTE_SUM),
    ]),
    ...(workerService ? [createGraph('Containers of the worker', [workerService.running])] : []),
    ...(relay
      ? [
          createGraph('Relay', [
            relay.running,
            createOwnMetric(stack, 'RelayHeartbeat', Stats.SUM),
            relay.stopped,
          ]),
        ]
      : []),
    ...(canary ? [createGraph('Canary (ms)', [createOwnMetric(stack, 'CanaryTime', Stats.MAXIMUM)])] : []),
  ];
}

function createFunctionWidgets({
  worker,
  largeWorker,
  transcriber,
  deadLetters,
  sweeper,
}: MonitoredResources): IWidget[] {
  const all = { worker, 'large-worker': largeWorker, transcriber, 'dead-letters': deadLetters, sweeper };
  const of = (pick: (one: MonitoredResources['worker']) => Metric): IMetric[] =>
    Object.entries(all).map(([label, one]) => pick(one).with({ label }));
  return [
    createGraph(
      'Errors',
      of(({ lambda }) => lambda.metricErrors(FIVE_MINUTE_SUM)),
    ),
    createGraph(
      'Throttled',
      of(({ lambda }) => lambda.metricThrottles(FIVE_MINUTE_SUM)),
    ),
    createGraph(
      'Longest (ms)',
      of(({ lambda }) => lambda.metricDuration({ ...FIVE_MINUTE_SUM, statistic: Stats.MAXIMUM })),
    ),
  ];
}

function createTableWidgets({ storage: { conversations, tokens } }: MonitoredResources): IWidget[] {
  const used = (name: string): IMetric[] =>
    Object.entries({ conversations, tokens }).map(([label, table]) =>
      table.metric(name, { ...FIVE_MINUTE_SUM, label }),
    );
  return [
    createGraph('Units written', used('ConsumedWriteCapacityUnits')),
    createGraph('Units read', used('ConsumedReadCapacityUnits')),
  ];
}

const createPercentiles = (stack: Stack, name: string): IMetric[] =>
  [50, 99].map((n) => createOwnMetric(stack, name, Stats.percentile(n), { label: `p${n}` }));

const createGraph = (title: string, left: IMetric[]): IWidget =>
  new GraphWidget({ title, left, width: WIDTH });
