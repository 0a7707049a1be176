import * as v from 'valibot';
import { METRIC_UNITS, type MetricName } from '../../shared/runtime/metrics.ts';
import { prices } from './prices.ts';
import { createTemplateSchema } from './template-schema.ts';

const HOURS = 730;
/** Lambda polls an idle queue with five connections, each for 20 s. */
const POLLS_OF_A_QUEUE = (5 * HOURS * 3_600) / 20;
/** The sweeper: about two millionths of a dollar each minute. */
const SWEEPER = 0.1;
/** As in infra/cdk/containers/relay.ts. */
const RELAY = { cpus: 0.25, gb: 0.5 };

/** Metrics that are not written in every hour with answers. */
const RECORDING_METRICS: readonly MetricName[] = ['RecordingTime', 'RecordingSeconds'];
const RELAY_METRICS: readonly MetricName[] = ['RelayHeartbeat'];
const CANARY_METRICS: readonly MetricName[] = ['CanaryTime'];
/** The values of the dimension of `RateLimited`. */
const LIMIT_SOURCES = 3;

const templateSchema = createTemplateSchema({
  Metrics: v.optional(v.array(v.object({ MetricStat: v.optional(v.unknown()) }))),
});

/** What a deployment costs without any questions ($ a month). `rows`: the cells of the table in docs/deploying.md. */
export type MonthlyCost = {
  readonly fixed: number;
  readonly relay: number;
  readonly rows: readonly (readonly [what: string, calculation: string, dollars: string])[];
};

/** Counts what costs by the month in the template of the local system, which has the relay and the API for integrations: they are options. */
export function calculateMonthlyCost(template: unknown): MonthlyCost {
  const resources = Object.entries(v.parse(templateSchema, template).Resources);
  const of = (type: string) => resources.filter(([, { Type }]) => Type === type);
  const [secrets, keys, pollers] = ['SecretsManager::Secret', 'KMS::Key', 'Lambda::EventSourceMapping'].map(
    (type) => of(`AWS::${type}`).length,
  );
  if (!secrets || !keys || !pollers) throw new Error('The template has no secrets, keys or queues.');
  const alarms = of('AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({
    id,
    metrics: Properties?.Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1,
  }));
  const permanent = alarms.filter(({ id }) => !/^(?:Relay|Api)/u.test(id));
  const alarmMetrics = permanent.reduce((total, { metrics }) => total + metrics, 0);
  const relayAlarms = alarms.filter(({ id }) => id.startsWith('Relay')).length;
  const rare = new Set([...RECORDING_METRICS, ...RELAY_METRICS, ...CANARY_METRICS]);
  const metrics = Object.keys(METRIC_UNITS).length - rare.size + (LIMIT_SOURCES - 1);
  const polls = pollers * POLLS_OF_A_QUEUE;
  const { secretMonth, keyMonth, alarmMetricMonth, metricMonth, sqsRequest } = prices;
  const lines = [
    ['Secrets', `${secrets} × ${secretMonth.toFixed(2)} (r)`, secrets * secretMonth],
    [
      'KMS key (each of its first two yearly rotations adds one)',
      `${keys} × ${keyMonth.toFixed(2)} (r)`,
      keys * keyMonth,
    ],
    [
      `Alarms: ${permanent.length}, with ${alarmMetrics} metrics`,
      `${alarmMetrics} × ${alarmMetricMonth.toFixed(2)} (r); ten are free`,
      alarmMetrics * alarmMetricMonth,
    ],
    [
      `Metrics: ${metrics}, in hours with answers; the dashboard is free`,
      `${metrics} × ${metricMonth.toFixed(2)} (r); ten are free`,
      metrics * metricMonth,
    ],
    [
      `${RECORDING_METRICS.length} more metrics in hours with recordings`,
      `${metricMonth.toFixed(2)} for a metric of a whole month (r)`,
      0,
    ],
    [
      'Ratings: 2 metrics for each model, in hours in which it is rated',
      `${metricMonth.toFixed(2)} for a metric of a whole month (r)`,
      0,
    ],
    [
      `SQS: Lambda polls ${pollers} queues with five connections each, 20 s at a time`,
      `${(polls / 1e6).toFixed(1)} M × ${(1e6 * sqsRequest).toFixed(2)}/M (r); 1 M free`,
      polls * sqsRequest,
    ],
    [
      'Sweeper: each minute about 100 ms at 256 MB, its schedule, its reads and its log',
      '43,800 × about 2 millionths',
      SWEEPER,
    ],
  ] as const;
  const fixed = lines.reduce((total, [, , dollars]) => total + dollars, 0);
  const hour = [
    RELAY.cpus * prices.fargateCpuHour,
    RELAY.gb * prices.fargateGbHour,
    prices.publicIpHour,
  ] as const;
  const watching = relayAlarms * alarmMetricMonth + RELAY_METRICS.length * metricMonth;
  const relay = HOURS * (hour[0] + hour[1] + hour[2]) + watching;
  const calculation = `${HOURS} × (${hour[0].toFixed(4)} + ${hour[1].toFixed(4)} + ${hour[2]} (r)) + ${watching.toFixed(2)}`;
  return {
    fixed,
    relay,
    rows: [
      ...lines.map(([what, how, dollars]) => [what, how, dollars.toFixed(2)] as const),
      ['**In all**', '', `**${fixed.toFixed(2)}**`],
      [
        `Relay, if on: a quarter of a vCPU, 512 MB, a public IP address, ${relayAlarms} alarms, ${RELAY_METRICS.length} metric`,
        calculation,
        `${relay.toFixed(2)} more`,
      ],
    ],
  };
}
