import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../infra/cdk/bundle.ts';
import { readContextOptions } from '../../infra/cdk/context-options.ts';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { RELOADED_IF_REJECTED_TTL_MS, SECRET_TTL_MS } from '../../shared/aws/secrets.ts';
import { writeBreakEven } from './break-even.ts';
import type { Row } from './report-table.ts';
import { LOADS, share } from './sharing.ts';
import { measureAnswerCost, type AnswerCost } from './answer-cost.ts';
import { calculateMonthlyCost, type MonthlyCost } from './monthly-cost.ts';
import { prices } from './prices.ts';

/** The default. */
const WORKERS = readContextOptions(() => undefined).workerConcurrency;
/** Lambda's own receive and deletion for each invocation. */
const LAMBDA_CALLS = 2;
const GB = 1024 ** 3;
const FREE_GB_SECONDS = 400_000;
const MINUTES_OF_A_MONTH = 43_800;
/** Lambda keeps an idle process for some minutes. AWS does not say how many. */
const KEPT_IDLE_MS = 5 * 60_000;
/**
 * The loads of the table, and what 1,000 answers may cost ($). With one question a minute each answer pays for its own
 * waiting. The column after it has no limit: its questions also pay for the start of all processes.
 */
const COLUMNS: readonly { readonly name: string; readonly limit?: number }[] = [
  { name: 'one a minute', limit: 0.05 },
  { name: '1 a second', limit: 0.023 },
  { name: '2 a second', limit: 0.023 },
  { name: 'one in 15 minutes' },
];

/** The cost of 1,000 answers of 15 s at several rates, and the table of it in docs/deploying.md. */
export async function cost(): Promise<Row[]> {
  const answerCost = await measureAnswerCost();
  const columns: Column[] = [];
  for (const { name } of COLUMNS) {
    const load = LOADS.find((one) => one.name === name);
    if (!load) throw new Error(`There is no load ${name}`);
    const answers = load.arrivals.length;
    const gapMs = (load.arrivals.at(-1) ?? NaN) / (answers - 1);
    columns.push({ name, ...(await share({ ...load, concurrency: WORKERS })), answers, gapMs });
  }
  const bills = columns.map((column) => billOf(column, answerCost));
  const monthly = calculateMonthlyCost((await buildTemplate()).template);
  writeMonthlyTable(monthly);
  writeTable(columns, bills, answerCost, monthly);
  const even = await writeBreakEven(answerCost.memoryMb.worker, prices);
  return [
    { what: 'questions a month from which a container costs less', value: even ?? NaN, unit: 'questions' },
    { what: 'writes of one answer of 15 s', value: answerCost.writes, unit: 'units' },
    { what: 'reads of one answer of 15 s', value: answerCost.reads, unit: 'units' },
    ...columns.map(({ name }, at) => ({
      what: `1,000 answers of 15 s, ${name}`,
      value: 100 * sum(bills[at] ?? []),
      unit: 'cents',
      ...limitOf(COLUMNS[at]),
    })),
  ];
}

const limitOf = (column: { readonly limit?: number } | undefined): { readonly limit?: number } =>
  column?.limit === undefined ? {} : { limit: 100 * column.limit };

type Column = Awaited<ReturnType<typeof share>> & {
  readonly name: string;
  readonly answers: number;
  /** The time between two questions on average (ms). */
  readonly gapMs: number;
};

/** Whether each question finds no process. */
const isCold = ({ gapMs }: Column): boolean => gapMs > KEPT_IDLE_MS;

/** The reads of secrets for one answer. At most `WORKERS` processes of each function read them. */
function secretReads(column: Column, { secrets }: AnswerCost): number {
  const { gapMs, seconds } = column;
  const processes = Math.min(WORKERS, Math.ceil((1_000 * seconds) / gapMs));
  const reads = (each: number, ttlMs: number): number => each * Math.min(1, (processes * gapMs) / ttlMs);
  return isCold(column)
    ? secrets.worker + secrets.front
    : reads(secrets.worker, RELOADED_IF_REJECTED_TTL_MS) + reads(secrets.front, SECRET_TTL_MS);
}

/** Dollars per 1,000 answers, line by line. */
function billOf(column: Column, answerCost: AnswerCost): number[] {
  const { seconds, invocations, answers } = column;
  const { worker, front } = answerCost.memoryMb;
  const cold = isCold(column) ? answerCost.startSeconds : { worker: 0, front: 0 };
  const { writes, reads } = isCold(column) ? answerCost.cold : answerCost;
  const each = [
    seconds * (worker / 1024) * prices.lambdaGbSecond,
    ((cold.worker * worker + cold.front * front) / 1024) * prices.lambdaGbSecond,
    answerCost.frontSeconds * (front / 1024) * prices.lambdaGbSecond,
    answerCost.events * (prices.apiRequest + prices.lambdaRequest) +
      (invocations / answers) * prices.lambdaRequest,
    sqsOf(column, answerCost) * prices.sqsRequest,
    writes * prices.dynamoWriteUnit + reads * prices.dynamoReadUnit,
    secretReads(column, answerCost) * prices.secretRead,
    (logBytesOf(column, answerCost) / GB) * prices.logGb,
  ];
  return each.map((dollars) => 1_000 * dollars);
}

const sqsOf = ({ calls, invocations, answers }: Column, { sends }: AnswerCost): number =>
  sends + calls + (LAMBDA_CALLS * invocations) / answers;

const logBytesOf = (
  { invocations, answers }: Column,
  { events, logBytes, invocationLogBytes: { worker, front } }: AnswerCost,
): number => logBytes + events * front + (invocations / answers) * worker;

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const BEGIN = '<!-- Made by `npm run bench -- cost`. -->';
const END = '<!-- Until here. -->';

const MONTHLY_BEGIN = '<!-- Made by `npm run bench -- cost`: each month. -->';
const MONTHLY_END = '<!-- Until here: each month. -->';

function writeMonthlyTable({ rows }: MonthlyCost): void {
  const table = [
    row(['What', 'Calculation', '$']),
    row(['---', '---', '---']),
    ...rows.map((cells) => row(cells)),
  ];
  writeSection(MONTHLY_BEGIN, MONTHLY_END, table);
}

/** Replaces a section of docs/deploying.md. */
function writeSection(beginMark: string, endMark: string, lines: readonly string[]): void {
  const path = join(PROJECT, 'docs/deploying.md');
  const before = readFileSync(path, 'utf8');
  const [begin, end] = [before.indexOf(beginMark), before.indexOf(endMark)];
  if (begin < 0 || end < begin) throw new Error(`${path} has no place for ${beginMark}`);
  writeFileSync(path, `${before.slice(0, begin)}${beginMark}\n\n${lines.join('\n')}\n\n${before.slice(end)}`);
}

function writeTable(
  columns: readonly Column[],
  bills: readonly number[][],
  answerCost: AnswerCost,
  { fixed, relay }: MonthlyCost,
): void {
  const { worker, front } = answerCost.memoryMb;
  const list = (of: (column: Column) => number, digits: number): string =>
    columns.map((column) => of(column).toFixed(digits)).join(', ');
  const lines = [
    `Worker: ${worker} MB for ${list(({ seconds }) => seconds, 1)} s`,
    `Starts where nothing runs: ${answerCost.startSeconds.worker.toFixed(2)} s of the worker, ${answerCost.startSeconds.front.toFixed(2)} s of the front`,
    `Front: ${front} MB for ${answerCost.frontSeconds.toFixed(3)} s, ${answerCost.events} events`,
    'Requests of API and functions',
    `SQS: ${list((column) => sqsOf(column, answerCost), 1)} calls`,
    `DynamoDB: ${answerCost.writes} writes, ${answerCost.reads} reads (${answerCost.cold.writes} and ${answerCost.cold.reads} after a start)`,
    `Secrets Manager: ${list((column) => secretReads(column, answerCost), 2)} reads`,
    `Logs: ${list((column) => logBytesOf(column, answerCost) / 1024, 1)} KB`,
  ];
  const table = [
    row(['Resources of one question; price of 1,000', ...columns.map(({ name }) => name)]),
    row(['---', ...columns.map(() => '---')]),
    ...lines.map((line, at) => row([line, ...bills.map((bill) => (bill[at] ?? NaN).toFixed(4))])),
    row(['**In all**', ...bills.map((bill) => `**${sum(bill).toFixed(4)}**`)]),
  ];
  const alone = sum(bills[0] ?? []) / 1_000;
  const cold = sum(bills[columns.findIndex(isCold)] ?? []) / 1_000;
  const months = [0, 1_000, 100_000].map((questions) => {
    const use = questions * (questions > MINUTES_OF_A_MONTH ? alone : cold);
    const sums = [use, use + fixed, use + fixed + relay];
    return row([questions.toLocaleString('en'), ...sums.map((dollars) => dollars.toFixed(2))]);
  });
  const waiting = bills[0]?.[0] ?? NaN;
  const goal = COLUMNS[0]?.limit ?? NaN;
  const rest = 1_000 * alone - waiting;
  const needed = Math.floor(((goal - rest) * worker) / waiting);
  const floor = `Of a question a minute, everything but the worker's time costs ${rest.toFixed(4)}, and each MB of the worker ${(waiting / worker).toFixed(6)}. For a total of ${goal} the worker would need to fit into ${needed} MB.`;
  const gbSeconds = ((columns[0]?.seconds ?? NaN) * worker + answerCost.frontSeconds * front) / 1_024;
  const free = `Lambda's free ${FREE_GB_SECONDS.toLocaleString('en')} GB-s a month are enough for about ${(Math.round(FREE_GB_SECONDS / gbSeconds / 1_000) * 1_000).toLocaleString('en')} such questions.`;
  const section = [
    ...table,
    '',
    floor,
    free,
    '',
    'Cost per month, if questions come evenly. With 1,000 a month, each question pays for the start of all processes.',
    '',
    row(['Questions a month', 'Use', 'With the fixed costs', 'With the relay']),
    row(['---', '---', '---', '---']),
    ...months,
  ];
  writeSection(BEGIN, END, section);
}
