import { channelId, messageId, type Thread, workspaceId } from '../../../shared/domain/index.ts';
import type { FoundTurn } from '../../../shared/storage/index.ts';
import { getMessageTimeMs } from '../../../shared/utils/index.ts';
import { findMessageLedger, type LogRecord, type MessageLedger, textFact } from '../../dashboard/index.ts';
import type { MessageReference } from '../operator/message-reference.ts';
import type { LogPage } from '../operator/cloudwatch-logs.ts';
import { findPlace, type ReadLogs } from '../operator/read-logs.ts';
import { toTurnEntries, toTurnFacts, type TraceReport } from './trace-report.ts';

/** Where a message leaves traces. */
export type TraceSources = {
  readonly readLogs: ReadLogs;
  /** Finds the turn with this question or answer. Undefined if there is none. */
  readonly findTurn: (thread: Thread, message: string) => Promise<FoundTurn | undefined>;
  /** The ledger of the running local system, with the names of channels. Undefined without one. */
  readonly readLedger: (trace: string) => Promise<MessageLedger | undefined>;
  /** The workspace of Slack links, which do not name it, where the logs do not either. */
  readonly slackTeam: () => Promise<string | undefined>;
  /** The channel of a Discord thread, which links in threads do not name. Undefined if it is no thread, or unknown. */
  readonly discordParent: (channel: string) => Promise<string | undefined>;
  /** Says that the system logs warnings and errors only; undefined if it logs more. */
  readonly findLogGap: () => Promise<string | undefined>;
  readonly now: () => number;
};

/** Clocks differ, and Slack's ids are the time by its clock. */
const BEFORE_MS = 60_000;

/**
 * Collects what is known of a message and its answer within `windowMs` after it was sent. Undefined if nothing is known. Rejects with
 * OperatorError.
 */
export async function traceMessage(
  reference: MessageReference,
  windowMs: number,
  sources: TraceSources,
): Promise<TraceReport | undefined> {
  const search = createSearch(getSentAt(reference), windowMs, sources);
  const { message, trace } = reference;
  let naming = await search(trace === undefined ? [['message', message ?? '']] : [['trace', trace]]);
  const stored = await findTurn(reference, naming.records, sources);
  // The link was to an answer, or the fronts do not log the ids of messages.
  const question = stored?.turn.message;
  if (question !== undefined && (question !== message || naming.records.length === 0)) {
    const requestId = stored && toTurnFacts(stored).requestId;
    naming = await search([
      ['message', question],
      ...(requestId === undefined ? [] : [['requestId', requestId] as const]),
    ]);
  }
  const traces = [...new Set(naming.records.flatMap((record) => record.trace ?? []))];
  const page =
    traces.length > 0 ? await search(traces.map((id) => ['trace', id] as const)) : { ...naming, records: [] };
  const ledger = await findLedger(page.records, traces, sources);
  if (!stored && !ledger) return undefined;
  return {
    turn: stored && toTurnFacts(stored),
    row: ledger?.row,
    entries: ledger?.entries ?? (stored ? toTurnEntries(stored) : []),
    calls: ledger?.calls ?? [],
    notes: [
      ...(await noteGap(ledger, sources)),
      ...noteGivenUp(stored, ledger, page.records),
      ...listNotes(stored, ledger, naming.isComplete && page.isComplete),
    ],
  };
}

/** Says why a message has no requests, if the system does not log them. */
async function noteGap(ledger: MessageLedger | undefined, { findLogGap }: TraceSources): Promise<string[]> {
  if (ledger !== undefined && ledger.calls.length > 0) return [];
  const gap = await findLogGap();
  return gap === undefined ? [] : [`Requests and most steps are missing. ${gap}`];
}

/** Says that a worker gave the message up: the stored answer of such a task looks as if the person had seen it. */
function noteGivenUp(
  stored: FoundTurn | undefined,
  ledger: MessageLedger | undefined,
  records: readonly LogRecord[],
): string[] {
  if (ledger?.row.state !== 'waiting' || !records.some(({ event }) => event === 'task.given-up')) return [];
  return stored?.content?.outcome === undefined
    ? ['The task was given up.']
    : ['The task was given up: the outcome is stored, but may not have been shown.'];
}

/** The time in the id of a message or of a trace; ms since 1970. */
function getSentAt({ message, trace }: MessageReference): number {
  if (trace !== undefined) return Number.parseInt(trace.split('-')[1] ?? '', 16) * 1_000;
  return getMessageTimeMs(message ?? '');
}

function createSearch(sentAt: number, windowMs: number, { readLogs, now }: TraceSources) {
  // CloudWatch takes whole ms.
  const fromMs = Math.floor(sentAt - BEFORE_MS);
  const untilMs = Math.ceil(Math.min(now(), sentAt + windowMs));
  return async (anyOf: readonly (readonly [string, string])[]): Promise<LogPage> =>
    untilMs < fromMs ? { records: [], isComplete: true } : readLogs({ fromMs, untilMs, anyOf });
}

async function findTurn(
  reference: MessageReference,
  records: readonly LogRecord[],
  { findTurn: find, slackTeam, discordParent }: TraceSources,
): Promise<FoundTurn | undefined> {
  const place = findPlace(
    records.filter((record) => textFact(record, 'channel') && textFact(record, 'root')),
  );
  const fact = (name: string): string | undefined => place && textFact(place, name);
  const platform = fact('platform') ?? reference.platform ?? (place ? 'slack' : undefined);
  const channel = fact('channel') ?? reference.channel;
  const message = reference.message ?? fact('message');
  if (platform === undefined || channel === undefined || message === undefined) return undefined;
  const workspace =
    fact('workspace') ?? reference.workspace ?? (platform === 'slack' ? await slackTeam() : undefined);
  if (workspace === undefined) return undefined;
  const findIn = (parent: string, root: string): Promise<FoundTurn | undefined> => {
    const thread: Thread = {
      platform: platform === 'discord' ? 'discord' : 'slack',
      workspace: workspaceId(workspace),
      channel: channelId(parent),
      root: messageId(root),
    };
    return find(thread, message);
  };
  // The root of a conversation in a direct channel of Discord is the channel.
  const roots = new Set([fact('root') ?? reference.root ?? message, channel]);
  for (const root of roots) {
    const stored = await findIn(channel, root);
    if (stored) return stored;
  }
  // In a thread of Discord, the link names the thread in place of the channel.
  const parent = platform === 'discord' ? await discordParent(channel) : undefined;
  return parent === undefined ? undefined : findIn(parent, channel);
}

async function findLedger(
  records: readonly LogRecord[],
  traces: readonly string[],
  { readLedger }: TraceSources,
): Promise<MessageLedger | undefined> {
  for (const trace of traces) {
    const ledger = (await readLedger(trace)) ?? findMessageLedger(records, () => undefined, trace);
    if (ledger) return ledger;
  }
  return undefined;
}

function listNotes(stored: FoundTurn | undefined, ledger: MessageLedger | undefined, isComplete: boolean) {
  return [
    ...(isComplete ? [] : ['The logs were not read completely: narrow the time with --window.']),
    ...(stored ? [] : ['The stored turn could not be read or is gone: what is shown comes from the logs.']),
    ...(ledger
      ? []
      : [
          'No log lines were found: they are kept for 30 days, and --window says how long after the message they are searched.',
        ]),
  ];
}
