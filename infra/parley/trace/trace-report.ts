import type { TurnOutcome } from '../../../shared/domain/index.ts';
import type { FoundTurn } from '../../../shared/storage/index.ts';
import type { LedgerEntry, MessageRow, MethodCalls } from '../../dashboard/index.ts';

/** What is stored of a turn, without what people and models wrote. Times are ms since 1970. */
export type TurnFacts = {
  readonly platform: string;
  readonly workspace: string;
  readonly channel: string;
  readonly root: string;
  readonly message: string;
  readonly asker: string;
  readonly state: 'open' | 'answered' | 'failed' | 'unreadable';
  /** Why it failed, or how the answer ended. */
  readonly reason: string | undefined;
  readonly model: string | undefined;
  readonly promptTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly completionTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  /** The id that the upstream gave to the request. */
  readonly requestId: string | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  /** How often a worker began with it. */
  readonly claims: number;
  /** The question that is answered together with this one. */
  readonly mergedInto: string | undefined;
};

export type TraceReport = {
  readonly turn: TurnFacts | undefined;
  readonly row: MessageRow | undefined;
  /** Oldest first. */
  readonly entries: readonly LedgerEntry[];
  /** The requests to platforms and models, by method. */
  readonly calls: readonly MethodCalls[];
  /** Sentences about what could not be read. */
  readonly notes: readonly string[];
};

/** Returns the facts of a turn. */
export function toTurnFacts({ turn, content, unreadable, mergedInto, fence }: FoundTurn): TurnFacts {
  const outcome = content?.outcome;
  return {
    ...turn.thread,
    message: turn.message,
    asker: turn.asker,
    state: unreadable ? 'unreadable' : (outcome?.kind ?? 'open'),
    ...toOutcomeFacts(outcome),
    status: outcome?.failure?.status,
    code: outcome?.failure?.code,
    claims: fence,
    mergedInto,
  };
}

type OutcomeFacts = Pick<
  TurnFacts,
  'reason' | 'model' | 'promptTokens' | 'cachedTokens' | 'completionTokens' | 'reasoningTokens' | 'requestId'
>;

function toOutcomeFacts(outcome: TurnOutcome | undefined): OutcomeFacts {
  const answered = outcome?.kind === 'answered' ? outcome : undefined;
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = answered?.usage ?? {};
  const usage = { promptTokens, cachedTokens, completionTokens, reasoningTokens };
  return {
    ...usage,
    reason: outcome?.kind === 'failed' ? outcome.reason : answered?.finish,
    model: answered?.model,
    requestId: answered?.requestId ?? outcome?.failure?.requestId,
  };
}

/** Returns the times that are stored in a turn as entries: for a message whose log lines are gone. */
export function toTurnEntries({ content }: FoundTurn): LedgerEntry[] {
  const timings = content?.outcome.timings;
  if (!timings) return [];
  const [receivedAt, started, sent, first, ended, requests] = timings;
  const entry = (ms: number, what: string): LedgerEntry => ({
    at: receivedAt + ms,
    source: 'stored turn',
    what,
    details: '',
    isProblem: false,
  });
  return [
    entry(0, 'The event arrived'),
    entry(started, 'The worker began'),
    ...(requests > 0
      ? [entry(sent, 'The first request went to the model'), entry(first, 'The first word arrived')]
      : []),
    entry(ended, 'The answer was complete'),
  ];
}
