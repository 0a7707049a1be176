import * as v from 'valibot';
import type { OperatorCall } from '../../../../infra/parley/operator/operator-call.ts';
import type { DeploymentOptions } from '../../../../infra/parley/dashboard/deployment-parts.ts';

export const NOON = Date.UTC(2026, 10, 23, 12);
export const MINUTE = 60_000;

const querySchema = v.object({
  StartTime: v.number(),
  MetricDataQueries: v.array(
    v.object({
      Id: v.string(),
      MetricStat: v.object({
        Metric: v.object({
          Namespace: v.string(),
          MetricName: v.string(),
          Dimensions: v.optional(v.array(v.object({ Value: v.string() })), []),
        }),
        Stat: v.string(),
        Period: v.number(),
      }),
    }),
  ),
});
const searchSchema = v.looseObject({ startTime: v.number(), endTime: v.number() });

export type FakeDeployment = {
  readonly options: DeploymentOptions;
  /** The operations and their inputs, as they were called. */
  readonly calls: readonly { readonly target: string; readonly input: object }[];
  readonly reported: readonly unknown[];
  /** Counts of `FilterLogEvents`, `GetMetricData` and so on. */
  readonly count: (operation: string) => number;
  readonly advance: (ms: number) => void;
};

export type FakeAnswers = {
  /** Log lines by their time (ms since 1970). */
  readonly lines?: readonly (readonly [at: number, facts: object])[];
  /** The value of each metric that has points, in its first period: by name and statistic, or by name and dimension. */
  readonly metrics?: Readonly<Record<string, number>>;
  readonly alarms?: readonly object[];
  /** Items of both tables; further pages are empty. */
  readonly items?: readonly object[];
  readonly pages?: number;
  /** Throws in place of an answer. */
  readonly fail?: (operation: string) => void;
  readonly options?: Partial<DeploymentOptions>;
};

/** A deployment whose AWS answers from memory, in the shapes that AWS documents. */
export function fakeDeployment(answers: FakeAnswers = {}): FakeDeployment {
  const calls: { target: string; input: object }[] = [];
  const reported: unknown[] = [];
  let now = NOON;
  let scanned = 0;
  const reply = (operation: string, input: object): unknown => {
    answers.fail?.(operation);
    switch (operation) {
      case 'DescribeLogGroups':
        return { logGroups: [{ logGroupName: '/Parley/worker' }] };
      case 'FilterLogEvents': {
        const { startTime, endTime } = v.parse(searchSchema, input);
        const inTime = (answers.lines ?? []).filter(([at]) => at >= startTime && at <= endTime);
        return { events: inTime.map(([at, facts]) => ({ timestamp: at, message: toLine(at, facts) })) };
      }
      case 'GetMetricData':
        return { MetricDataResults: toResults(v.parse(querySchema, input), answers.metrics ?? {}) };
      case 'DescribeAlarms':
        return { MetricAlarms: answers.alarms ?? [] };
      case 'GetQueueAttributes':
        return {
          Attributes: { ApproximateNumberOfMessages: '3', ApproximateNumberOfMessagesNotVisible: '1' },
        };
      case 'Scan': {
        scanned += 1;
        const hasMore = scanned < (answers.pages ?? 1);
        return {
          Items: answers.items ?? [],
          ...(hasMore && { LastEvaluatedKey: { pk: { S: 'x' }, sk: { S: 'x' } } }),
        };
      }
      default:
        return { Items: answers.items ?? [] };
    }
  };
  const call: OperatorCall = async (_service, target, input) => {
    calls.push({ target, input });
    return reply(target.split('.')[1] ?? '', input);
  };
  return {
    calls,
    reported,
    count: (operation) => calls.filter(({ target }) => target.endsWith(`.${operation}`)).length,
    advance: (ms) => void (now += ms),
    options: {
      system: {
        name: 'Parley in eu-central-1',
        stack: 'Parley',
        outputs: {
          TasksUrl: 'https://sqs.eu-central-1.amazonaws.com/1/Parley-Tasks.fifo',
          ConversationsTable: 'conversations',
          TokensTable: 'tokens',
        },
      },
      call,
      workspaces: [],
      zone: 'UTC',
      hasAccounts: true,
      now: () => now,
      // Everything that AWS is asked for is there when a read ends.
      wait: (ms) => (ms === 1_000 ? Promise.resolve() : new Promise(() => {})),
      reportError: (error) => void reported.push(error),
      ...answers.options,
    },
  };
}

const toLine = (at: number, facts: object): string =>
  JSON.stringify({ timestamp: new Date(at).toISOString(), level: 'info', trace: `t${at}`, ...facts });

const toResults = (
  { StartTime, MetricDataQueries }: v.InferOutput<typeof querySchema>,
  metrics: NonNullable<FakeAnswers['metrics']>,
) =>
  MetricDataQueries.map(({ Id, MetricStat: { Metric, Stat, Period } }) => {
    const isWhole = Period > 600;
    const key = `${Metric.MetricName} ${Metric.Dimensions[0]?.Value ?? Stat}${isWhole ? ' total' : ''}`;
    const value = metrics[key];
    return value === undefined
      ? { Id, Timestamps: [], Values: [] }
      : { Id, Timestamps: [StartTime], Values: [value] };
  });
