import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../infra/cdk/bundle.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { poisson, share } from './sharing.ts';

type Prices = {
  readonly lambdaGbSecond: number;
  readonly lambdaRequest: number;
  readonly sqsRequest: number;
  readonly fargateCpuHour: number;
  readonly fargateGbHour: number;
  readonly publicIpHour: number;
};

/** As in infra/cdk/containers/worker-service.ts. */
const CONTAINER = { cpus: 0.25, gb: 0.5 };
const HOURS = 730;
/** The receives with which Lambda polls an idle queue: five connections, each for 20 s. */
const LAMBDA_POLLS_BY_MONTH = (5 * HOURS * 3_600) / 20;
/** The receives of a container, of `TASKS.serviceReceiveWaitSeconds` each. */
const SERVICE_POLLS_BY_MONTH = (HOURS * 3_600) / TASKS.serviceReceiveWaitSeconds;
/** For one answer of 15 s: its receive, its deletion, and two extensions of its visibility timeout. */
const SERVICE_CALLS = 4;
const WORKERS = 3;
/** The number of simulated answers at each load. */
const ANSWERS = 400;

const MONTHS = [10_000, 50_000, 100_000, 150_000, 200_000, 300_000, 500_000, 1_000_000, 2_500_000];

type Month = { readonly questions: number; readonly lambda: number; readonly fargate: number };

/** The monthly cost of the worker as a function and as one container, by the number of questions. */
export async function workerMonths(memoryMb: number, prices: Prices): Promise<readonly Month[]> {
  const { lambdaGbSecond, lambdaRequest, sqsRequest } = prices;
  const { cpus, gb } = CONTAINER;
  const container =
    HOURS * (cpus * prices.fargateCpuHour + gb * prices.fargateGbHour + prices.publicIpHour) +
    SERVICE_POLLS_BY_MONTH * sqsRequest;
  return Promise.all(
    MONTHS.map(async (questions) => {
      const perSecond = questions / (HOURS * 3_600);
      const arrivals = poisson(perSecond, ANSWERS / perSecond);
      const { seconds, invocations, calls } = await share({ name: '', arrivals, concurrency: WORKERS });
      const started = invocations / arrivals.length;
      const each =
        seconds * (memoryMb / 1024) * lambdaGbSecond +
        started * lambdaRequest +
        (calls + 2 * started) * sqsRequest;
      return {
        questions,
        lambda: questions * each + LAMBDA_POLLS_BY_MONTH * sqsRequest,
        fargate: container + questions * SERVICE_CALLS * sqsRequest,
      };
    }),
  );
}

/**
 * The number of questions per month from which the container costs less, interpolated between the listed months;
 * undefined if it never does.
 */
export function breakEven(months: readonly Month[]): number | undefined {
  for (const [at, month] of months.entries()) {
    const before = months[at - 1];
    if (month.lambda < month.fargate || !before) continue;
    const [from, to] = [before.fargate - before.lambda, month.lambda - month.fargate];
    return before.questions + ((month.questions - before.questions) * from) / (from + to);
  }
  return undefined;
}

const BEGIN = '<!-- Made by `npm run bench -- cost`: the container. -->';
const END = '<!-- Until here: the container. -->';

/**
 * Writes the cost of the worker as a function and as a container into docs/deploying.md. Resolves with the
 * break-even, in questions per month.
 */
export async function writeBreakEven(memoryMb: number, prices: Prices): Promise<number | undefined> {
  const months = await workerMonths(memoryMb, prices);
  const even = breakEven(months);
  const path = join(PROJECT, 'docs/deploying.md');
  const before = readFileSync(path, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${path} has no place for the break-even`);
  const { fargateCpuHour, fargateGbHour, publicIpHour } = prices;
  const lines = [
    `One container is ${HOURS} × (${CONTAINER.cpus} × ${fargateCpuHour} + ${CONTAINER.gb} × ${fargateGbHour} + ${publicIpHour}) dollars a month, and ${(SERVICE_POLLS_BY_MONTH * prices.sqsRequest).toFixed(2)} for polling the queue.`,
    'The worker and its queue alone, for answers of 15 s that come evenly over the month:',
    '',
    '| Questions a month | Function | Container |',
    '| --- | --- | --- |',
    ...months.map(({ questions, lambda, fargate }) => {
      const dollars = [lambda, fargate].map((one) => one.toFixed(2));
      return `| ${[questions.toLocaleString('en'), ...dollars].join(' | ')} |`;
    }),
    '',
    even === undefined
      ? 'The container never costs less.'
      : `**The container costs less from about ${(Math.round(even / 1_000) * 1_000).toLocaleString('en')} questions a month on**. If most questions come in a few hours of the day, this number is higher, because the function then handles more of them at a time.`,
  ];
  writeFileSync(path, `${before.slice(0, begin)}${BEGIN}\n\n${lines.join('\n')}\n\n${before.slice(end)}`);
  return even;
}
