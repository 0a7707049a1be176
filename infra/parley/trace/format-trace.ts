import { styleText } from 'node:util';
import type { LedgerEntry, MethodCalls } from '../../dashboard/index.ts';
import { formatCount, formatDollars, formatDuration, formatTime } from '../output/format.ts';
import { cleanText, formatTable } from '../output/table.ts';
import type { TraceReport } from './trace-report.ts';

export type TraceFormat = { readonly width: number | undefined; readonly hasColors: boolean };

/** Formats the report for people: a head, a line for each step with the time since the event, and a line for each method of an API. */
export function formatTrace(report: TraceReport, { width, hasColors }: TraceFormat): string[] {
  const { entries, notes, calls } = report;
  const startMs = entries[0]?.at ?? 0;
  const table = formatTable<LedgerEntry>(
    entries,
    [
      { title: 'After', cell: ({ at }) => `+${formatDuration(at - startMs)}`, isNumber: true },
      { title: 'Where', cell: ({ source }) => source },
      { title: 'What', cell: ({ what }) => what },
      { title: 'Details', cell: ({ details }) => details },
    ],
    width,
  );
  const [head = '', ...lines] = table;
  const colored = lines.map((line, index) =>
    hasColors && entries[index]?.isProblem ? styleText('yellow', line, { validateStream: false }) : line,
  );
  return [
    ...formatHead(report).map(cleanText),
    ...(entries.length === 0 ? [] : ['', head, ...colored]),
    ...(calls.length === 0 ? [] : ['', 'API calls', ...formatCalls(calls, width)]),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ];
}

const formatCalls = (calls: readonly MethodCalls[], width: number | undefined): string[] =>
  formatTable(
    calls,
    [
      { title: 'To', cell: ({ service }) => service },
      { title: 'Method', cell: ({ method }) => method },
      { title: 'Requests', cell: ({ requests }) => String(requests), isNumber: true },
      {
        title: 'Outcome',
        cell: ({ statuses }) =>
          Object.entries(statuses)
            .map(([name, count]) => (count === 1 ? name : `${count} x ${name}`))
            .join(', '),
      },
      {
        title: 'Had to wait',
        cell: ({ waitMs }) => (waitMs === 0 ? '' : formatDuration(waitMs)),
        isNumber: true,
      },
      { title: 'Time', cell: ({ ms }) => formatDuration(ms), isNumber: true },
    ],
    width,
  );

function formatHead({ turn, row, entries }: TraceReport): string[] {
  const receivedAt = row?.receivedAt ?? entries[0]?.at;
  const lines: (readonly [string, string | undefined])[] = [
    ['Message', formatPlace({ turn, row })],
    ['Asked by', turn?.asker],
    ['Received', receivedAt === undefined ? undefined : `${formatTime(receivedAt)} UTC`],
    ['State', formatState({ turn, row })],
    ['Model', row?.model ?? turn?.model],
    ['Tokens', formatTokens({ turn, row })],
    ['Cost', row?.dollars === undefined ? undefined : formatDollars(row.dollars)],
    ['Attempts', formatAttempts({ turn, row })],
    ['Waits', row && formatTimes({ 'for a worker': row.queueWaitMs, 'for the models': row.requestWaitMs })],
    ['Times', row && formatTimes({ 'first word after': row.firstWordMs, 'complete after': row.totalMs })],
    ['Request id', turn?.requestId],
    ['Trace', row?.trace],
  ];
  return lines.flatMap(([title, text]) => (text ? [`${title.padEnd(11)} ${text}`] : []));
}

type Parts = Pick<TraceReport, 'turn' | 'row'>;

function formatPlace({ turn, row }: Parts): string {
  const channel = row?.channelName ?? row?.channel ?? turn?.channel;
  const place = [row?.platform ?? turn?.platform, turn?.workspace, channel].filter(Boolean).join(' ');
  return `${turn?.message ?? row?.message ?? 'unknown'} in ${place}`;
}

function formatTokens({ turn, row }: Parts): string | undefined {
  const promptTokens = row?.promptTokens ?? turn?.promptTokens;
  if (promptTokens === undefined) return undefined;
  const cached = turn?.cachedTokens ? ` (${turn.cachedTokens} cached)` : '';
  const reasoning = turn?.reasoningTokens ? ` (${turn.reasoningTokens} reasoning)` : '';
  const completionTokens = row?.completionTokens ?? turn?.completionTokens ?? 0;
  return `${promptTokens} in${cached}, ${completionTokens} out${reasoning}`;
}

function formatState({ turn, row }: Parts): string {
  const state = turn?.state === 'open' || turn === undefined ? (row?.state ?? 'open') : turn.state;
  const reason = [turn?.reason ?? row?.reason, turn?.status, turn?.code].filter(Boolean).join(', ');
  const merged = turn?.mergedInto === undefined ? '' : `, answered together with ${turn.mergedInto}`;
  return `${state}${reason === '' ? '' : ` (${reason})`}${merged}`;
}

function formatAttempts({ turn, row }: Parts): string | undefined {
  const parts = [
    row && `${Math.max(row.attempts, turn?.claims ?? 0)}`,
    row?.requests === undefined ? undefined : `${formatCount(row.requests, 'request')} to the models`,
    row && row.problems > 0 ? formatCount(row.problems, 'problem') : undefined,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(', ') : turn && String(turn.claims);
}

const formatTimes = (times: Readonly<Record<string, number | undefined>>): string =>
  Object.entries(times)
    .flatMap(([title, ms]) => (ms === undefined ? [] : [`${title} ${formatDuration(ms)}`]))
    .join(', ');
