import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { PROJECT } from '../../infra/bundle.ts';
import { readChoices } from '../../infra/choices.ts';
import { dataFolder, startJourney, workDone } from '../journeys/system.ts';
import { writeBreakEven } from './break-even.ts';
import type { Row } from './row.ts';
import { ANSWER_MS, LOADS, share } from './sharing.ts';

const amount = z.number();
const prices = z
  .object({
    lambdaGbSecond: amount,
    lambdaRequest: amount,
    apiRequest: amount,
    sqsRequest: amount,
    dynamoWriteUnit: amount,
    dynamoReadUnit: amount,
    logGb: amount,
    fargateCpuHour: amount,
    fargateGbHour: amount,
    publicIpHour: amount,
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'prices.json'), 'utf8')));

/** In docs/deploying.md: what comes to a month whatever happens, and for the relay. */
const MONTHLY = /\*\*In all\*\* +\|[^|]*\| +\*\*(\d+\.\d\d)\*\*/u;
const MONTHLY_RELAY = /\| +(\d+\.\d\d) more/u;

/** As deployed unless more are chosen. */
const WORKERS = readChoices(() => undefined).workerConcurrency;
/**
 * Units that calls do not show: the end of a turn of 2 KB takes two (`npm run bench -- capacity`), and the index by which a person's data is found
 * takes one for each turn.
 */
const UNCOUNTED_WRITES = 2;

const PACE_MS = 30;
/** As many tokens as take 15 s, at four characters each. */
const ANSWER = 'All of these words. '.repeat(Math.round((4 * ANSWER_MS) / PACE_MS / 20));
/** How long a front runs for one event. */
const FRONT_SECONDS = 0.05;
/** What one question comes to in the log. */
const LOG_GB = 4 / 1024 / 1024;
/** Lambda's own receive and deletion for each invocation. */
const LAMBDA_CALLS = 2;

/** What the relay writes by the way, and the books that a deployment keeps only where it has budgets: three writes for each answer. */
const NOT_COUNTED = /"S":"(?:BOOKMARK|ACCOUNT)#/u;

/** What the answer to one question takes of AWS, as the deployed bundles ask for it. */
type Taken = {
  /** Events that Slack posts. */
  readonly events: number;
  readonly writes: number;
  readonly reads: number;
  readonly sends: number;
  readonly memoryMb: { readonly worker: number; readonly front: number };
};

/** What 1,000 answers of 15 s cost, one by one and at several rates, and the table in docs/deploying.md that says so. */
export async function cost(): Promise<Row[]> {
  const taken = await measured();
  const columns = [];
  for (const name of ['one in 15 minutes', '1 a second', '2 a second']) {
    const load = LOADS.find((one) => one.name === name);
    if (load)
      columns.push({
        name,
        ...(await share({ ...load, concurrency: WORKERS })),
        answers: load.arrivals.length,
      });
  }
  const bills = columns.map((column) => billOf(column, taken));
  writeTable(columns, bills, taken);
  const even = await writeBreakEven(taken.memoryMb.worker, prices);
  const limits = [0.05, 0.023, 0.023];
  return [
    { what: 'questions a month from which a container costs less', value: even ?? NaN, unit: 'questions' },
    { what: 'writes of one answer of 15 s', value: taken.writes, unit: 'units' },
    { what: 'reads of one answer of 15 s', value: taken.reads, unit: 'units' },
    ...columns.map(({ name }, at) => ({
      what: `1,000 answers of 15 s, ${name}`,
      value: 100 * sum(bills[at] ?? []),
      unit: 'cents',
      limit: 100 * (limits[at] ?? NaN),
    })),
  ];
}

async function measured(): Promise<Taken> {
  const folder = dataFolder();
  const journey = await startJourney(folder.path, { upstream: { paceMs: PACE_MS } });
  const { slack, system } = journey;
  const targets: string[] = [];
  const count = (message: unknown): void => {
    const request = z.object({ request: z.instanceof(IncomingMessage) }).safeParse(message).data?.request;
    const target = request?.headers['x-amz-target'] ?? `${request?.method} ${request?.url}`;
    const body: Buffer[] = [];
    request?.on('data', (chunk: Buffer) => body.push(chunk));
    request?.once('end', () => {
      if (!NOT_COUNTED.test(Buffer.concat(body).toString('utf8'))) targets.push(String(target));
    });
  };
  try {
    const channel = slack.core.identity.users[0]?.id.replace(/^U/u, 'D') ?? '';
    // What a process looks up once is not counted.
    await ask('What is 1 + 1?');
    subscribe('http.server.request.start', count);
    await ask(`[[sim:say=${ANSWER}]]`);
    unsubscribe('http.server.request.start', count);
    const times = (pattern: RegExp): number => targets.filter((target) => pattern.test(target)).length;
    const memoryOf = (name: string): number =>
      system.cloud.inventory.functions.find(({ logicalId }) => logicalId.startsWith(name))?.memoryMb ?? NaN;
    return {
      events: times(/^POST \/slack\/events/u),
      writes: times(/DynamoDB_\d+\.(?:Put|Update|Delete)Item/u) + UNCOUNTED_WRITES,
      // Half a unit where they may be stale, as most are.
      reads: times(/DynamoDB_\d+\.Query/u) / 2 + times(/DynamoDB_\d+\.GetItem/u),
      sends: times(/AmazonSQS\.SendMessage/u),
      memoryMb: { worker: memoryOf('Worker'), front: memoryOf('SlackEvents') },
    };
    async function ask(text: string): Promise<void> {
      const thread = await slack.say('ada', text, { channel });
      await slack.core.until(() => {
        const all = [...(slack.core.state.messages.get(channel)?.values() ?? [])];
        return all.find((one) => one.thread === thread && one.stream?.open === false);
      });
      await workDone(system);
    }
  } finally {
    await journey.system.close();
    folder.remove();
  }
}

type Column = Awaited<ReturnType<typeof share>> & { readonly name: string; readonly answers: number };

/** Dollars by 1,000 answers, line by line. */
function billOf({ seconds, invocations, calls, answers }: Column, taken: Taken): number[] {
  const { worker, front } = taken.memoryMb;
  const each = [
    seconds * (worker / 1024) * prices.lambdaGbSecond,
    taken.events * FRONT_SECONDS * (front / 1024) * prices.lambdaGbSecond,
    taken.events * (prices.apiRequest + prices.lambdaRequest) +
      (invocations / answers) * prices.lambdaRequest,
    sqsOf({ calls, invocations, answers }, taken) * prices.sqsRequest,
    taken.writes * prices.dynamoWriteUnit + taken.reads * prices.dynamoReadUnit,
    LOG_GB * prices.logGb,
  ];
  return each.map((dollars) => 1_000 * dollars);
}

const sqsOf = (
  { calls, invocations, answers }: Pick<Column, 'calls' | 'invocations' | 'answers'>,
  { sends }: Taken,
): number => sends + calls + (LAMBDA_CALLS * invocations) / answers;

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const BEGIN = '<!-- Made by `npm run bench -- cost`. -->';
const END = '<!-- Until here. -->';

function writeTable(columns: readonly Column[], bills: readonly number[][], taken: Taken): void {
  const path = join(PROJECT, 'docs/deploying.md');
  const before = readFileSync(path, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${path} has no place for the table`);
  const { worker, front } = taken.memoryMb;
  const list = (of: (column: Column) => number, digits: number): string =>
    columns.map((column) => of(column).toFixed(digits)).join(', ');
  const lines = [
    `Worker: ${worker} MB for ${list(({ seconds }) => seconds, 1)} s`,
    `Front: ${front} MB for ${FRONT_SECONDS} s, ${taken.events} events`,
    'Requests of API and functions',
    `SQS: ${list((column) => sqsOf(column, taken), 1)} calls`,
    `DynamoDB: ${taken.writes} writes, ${taken.reads} reads`,
    'Logs: 4 KB',
  ];
  const table = [
    row(['What, for each question', ...columns.map(({ name }) => name)]),
    row(['---', ...columns.map(() => '---')]),
    ...lines.map((line, at) => row([line, ...bills.map((bill) => (bill[at] ?? NaN).toFixed(4))])),
    row(['**In all**', ...bills.map((bill) => `**${sum(bill).toFixed(4)}**`)]),
  ];
  const alone = sum(bills[0] ?? []) / 1_000;
  const [monthly, relay] = [MONTHLY, MONTHLY_RELAY].map((pattern) => Number(pattern.exec(before)?.[1]));
  if (!monthly || !relay) throw new Error(`${path} does not say what a month costs`);
  const months = [0, 1_000, 100_000].map((questions) => {
    const use = questions * alone;
    const sums = [use, use + monthly, use + monthly + relay];
    return row([questions.toLocaleString('en'), ...sums.map((dollars) => dollars.toFixed(2))]);
  });
  const made = [
    ...table,
    '',
    'So a month comes to, of questions that come one by one:',
    '',
    row(['Questions a month', 'Use', 'With what comes anyway', 'With the relay']),
    row(['---', '---', '---', '---']),
    ...months,
  ];
  writeFileSync(path, `${before.slice(0, begin)}${BEGIN}\n\n${made.join('\n')}\n\n${before.slice(end)}`);
}
