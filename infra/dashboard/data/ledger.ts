import { type ApiCall, describeOutcome, parseApiCalls, sumApiCalls, TASK_CALLS } from './api-calls.ts';
import type { LedgerEntry, MessageLedger, MessageRow } from './dashboard-data.ts';
import { describeEvent } from './event-words.ts';
import { type LogRecord, numberFact, textFact } from './log-record.ts';
import { isProblem } from './problems.ts';
import { ANSWER_ENDED, isFailed, isUnasked } from './time-series.ts';
import type { NameLookup } from './usage.ts';

/** All records about one message: of its event, its tasks and its answer. */
type MessageRecords = { readonly key: string; readonly records: LogRecord[] };

/** Events that name the message of a trace. */
const NAMING_EVENTS: ReadonlySet<string> = new Set(['slack.accepted', 'task.enqueued']);
/** Tasks that answer a message: see the table of tasks in ARCHITECTURE.md. */
const ANSWER_TASKS: ReadonlySet<string> = new Set(['ask', 'redo', 'hear']);

/** Returns the messages since `fromMs`, the latest first, at most `max`. */
export function toMessageRows(
  records: readonly LogRecord[],
  nameOf: NameLookup,
  fromMs: number,
  max: number,
): MessageRow[] {
  return groupByMessage(records)
    .filter(isAboutMessage)
    .map((group) => toMessageRow(group, nameOf))
    .filter(({ receivedAt }) => receivedAt >= fromMs)
    .toSorted((a, b) => b.receivedAt - a.receivedAt)
    .slice(0, max);
}

/**
 * Returns the ledger of the message with this trace; undefined if no record has it.
 */
export function findMessageLedger(
  records: readonly LogRecord[],
  nameOf: NameLookup,
  trace: string,
): MessageLedger | undefined {
  const group = groupByMessage(records).find((one) => one.records.some((record) => record.trace === trace));
  if (!group) return undefined;
  const row = toMessageRow(group, nameOf);
  const entries = group.records.flatMap((record) => toEntries(record, row));
  return {
    row,
    entries: entries.toSorted((a, b) => a.at - b.at),
    calls: sumApiCalls(group.records.flatMap(parseApiCalls)),
  };
}

/**
 * Groups records by message. Slack sends two events for one mention, and an edit is another event: each has its own trace, and
 * all name the same message.
 */
function groupByMessage(records: readonly LogRecord[]): MessageRecords[] {
  const messageOfTrace = new Map<string, string>();
  for (const record of records) {
    const [channel, message] = [textFact(record, 'channel'), textFact(record, 'message')];
    const isNaming = NAMING_EVENTS.has(record.event) && channel !== undefined && message !== undefined;
    if (isNaming && record.trace !== undefined) messageOfTrace.set(record.trace, `${channel} ${message}`);
  }
  const groups = new Map<string, LogRecord[]>();
  for (const record of records) {
    if (record.trace === undefined) continue;
    const key = messageOfTrace.get(record.trace) ?? record.trace;
    const group = groups.get(key);
    if (group) group.push(record);
    else groups.set(key, [record]);
  }
  return [...groups].map(([key, group]) => ({ key, records: group }));
}

const isAboutMessage = ({ records }: MessageRecords): boolean =>
  records.some(
    ({ event, facts }) =>
      event === ANSWER_ENDED || (event === 'task.enqueued' && ANSWER_TASKS.has(String(facts['kind']))),
  );

function toMessageRow({ records }: MessageRecords, nameOf: NameLookup): MessageRow {
  const ended = records.findLast(({ event }) => event === ANSWER_ENDED);
  const naming = records.find((record) => NAMING_EVENTS.has(record.event) && textFact(record, 'message'));
  const task = records.find(({ event }) => event === 'task.enqueued');
  const number = (name: string): number | undefined => ended && numberFact(ended, name);
  const text = (name: string): string | undefined => ended && textFact(ended, name);
  const deliveries = records
    .filter(({ event }) => event === 'task.received')
    .map((one) => numberFact(one, 'receives') ?? 1);
  const place = naming ?? task;
  const platform =
    text('platform') ??
    (task && textFact(task, 'platform')) ??
    (naming?.event === 'slack.accepted' ? 'slack' : undefined);
  const channel = place && textFact(place, 'channel');
  return {
    trace: (ended ?? task ?? records[0])?.trace ?? '',
    platform,
    channel,
    channelName: channel && nameOf(platform ?? '', 'channel', channel),
    message: place && textFact(place, 'message'),
    receivedAt: getReceivedAt(records),
    state: !ended ? 'waiting' : toEndState(ended),
    reason: text('reason'),
    model: text('model'),
    requests: number('requests'),
    attempts: Math.max(ended ? 1 : 0, ...deliveries),
    queueWaitMs: number('QueueWait'),
    requestWaitMs: number('RequestWait'),
    firstWordMs: number('FirstWord'),
    totalMs: number('AnswerTime'),
    promptTokens: number('PromptTokens'),
    completionTokens: number('CompletionTokens'),
    dollars: number('Dollars'),
    problems: records.filter(isProblem).length,
  };
}

function toEndState(ended: LogRecord): MessageRow['state'] {
  if (isUnasked(ended)) return 'unasked';
  return isFailed(ended) ? 'failed' : 'answered';
}

/** An answer's total time counts from the arrival of its event, which is before the first log line. */
function getReceivedAt(records: readonly LogRecord[]): number {
  return Math.min(
    ...records.map(
      (record) => record.at - (record.event === ANSWER_ENDED ? (numberFact(record, 'AnswerTime') ?? 0) : 0),
    ),
  );
}

/** The metrics of an answer contain the times of its phases: each becomes an entry. */
function toEntries(record: LogRecord, { receivedAt }: MessageRow): LedgerEntry[] {
  const calls = parseApiCalls(record).map(toCallEntry);
  if (record.event === TASK_CALLS) return calls;
  const { at, source } = record;
  const entry = {
    at,
    source,
    what: describeEvent(record),
    details: formatFacts(record),
    isProblem: isProblem(record),
  };
  if (record.event !== ANSWER_ENDED) return [entry];
  const phase = (ms: number | undefined, what: string): LedgerEntry[] =>
    ms === undefined ? [] : [{ at: receivedAt + ms, source, what, details: '', isProblem: false }];
  const queueWait = numberFact(record, 'QueueWait');
  const requestWait = numberFact(record, 'RequestWait');
  const sentMs = queueWait !== undefined && requestWait !== undefined ? queueWait + requestWait : undefined;
  return [
    ...calls,
    ...phase(queueWait, 'The worker began'),
    ...phase(sentMs, 'The first request went to the model'),
    ...phase(numberFact(record, 'FirstWord'), 'The first word arrived'),
    ...phase(numberFact(record, 'AnswerTime'), 'The answer was complete'),
    { ...entry, isProblem: isFailed(record) },
  ];
}

const SERVICE_NAMES: ReadonlyMap<string, string> = new Map([
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['models', 'models'],
]);

function toCallEntry(call: ApiCall): LedgerEntry {
  const { service, method, at, ms, requests, waitMs, status, error } = call;
  const hasFailed = error !== undefined || status < 200 || status >= 400;
  const details = [
    hasFailed ? describeOutcome(call) : 'ok',
    requests > 1 && `${requests} requests`,
    formatMs(ms),
    waitMs > 0 && `to wait ${formatMs(waitMs)}`,
  ];
  return {
    at,
    source: SERVICE_NAMES.get(service) ?? 'other server',
    what: `Request: ${method}`,
    details: details.filter(Boolean).join(', '),
    isProblem: hasFailed,
  };
}

const formatMs = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** The head of a ledger has them once. */
const HEAD_FACTS: ReadonlySet<string> = new Set([
  'platform',
  'workspace',
  'channel',
  'root',
  'message',
  'messageId',
  // Entries of their own.
  'calls',
]);

const formatFacts = ({ facts }: LogRecord): string =>
  Object.entries(facts)
    .filter(([name]) => !HEAD_FACTS.has(name))
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
