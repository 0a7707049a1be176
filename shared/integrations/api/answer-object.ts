import { isIntegration, type TurnOutcome } from '../../domain/index.ts';
import type { ApiRequestFailure } from '../../storage/index.ts';
import type { AnswerState } from './follow-answer.ts';

type AnswerStatus = 'queued' | 'in_progress' | 'completed' | 'failed';

/** The response to a request, as programs read it. Fields are added, never renamed. */
export type AnswerObject = {
  readonly id: string;
  readonly object: 'answer';
  readonly status: AnswerStatus;
  /** s since 1970. */
  readonly created_at: number;
  /** Of the integration's own conversations: continues it. */
  readonly conversation: string | null;
  /** Where the answer is shown: a channel, and the thread in it. */
  readonly channel: string | null;
  readonly thread: string | null;
  /** The words, or those so far. */
  readonly answer: string | null;
  readonly model: string | null;
  /** `stop` if the answer is complete. */
  readonly finish_reason: string | null;
  readonly usage: object | null;
  readonly error: { readonly code: string; readonly message: string } | null;
};

/** What an integration is told about a request without a turn. */
const FAILURES: Readonly<Record<ApiRequestFailure, string>> = {
  channel_not_allowed: 'This integration may no longer ask in that channel.',
  channel_unavailable:
    'The bot cannot write in that channel or thread: it is not a member, or the thread is deleted or private.',
  unavailable: 'The question could not be processed. Send it again with another idempotency key.',
};

/** Describes where a request stands. */
export function toAnswerObject({ request, answer }: AnswerState): AnswerObject {
  const isOwn = isIntegration(request.channel);
  const root = request.turn?.root ?? null;
  const base = {
    id: request.id,
    object: 'answer' as const,
    status: 'queued' as const,
    created_at: Math.floor(request.at / 1_000),
    conversation: isOwn ? root : null,
    channel: isOwn ? null : request.channel,
    thread: isOwn ? null : root,
    answer: null,
    model: null,
    finish_reason: null,
    usage: null,
    error: null,
  };
  const failed = (code: string, message: string): AnswerObject => ({
    ...base,
    status: 'failed',
    error: { code, message },
  });
  if (request.refusal !== undefined) return failed('access_denied', request.refusal);
  if (request.failure) return failed(request.failure, FAILURES[request.failure]);
  switch (answer?.kind) {
    case undefined:
      return base;
    case 'pending':
      return answer.text === undefined ? base : { ...base, status: 'in_progress', answer: answer.text };
    case 'refused':
      return failed('access_denied', answer.text);
    case 'gone':
      return failed('erased', 'The question was deleted or erased.');
    case 'ended':
      return { ...base, ...describeOutcome(answer.outcome) };
  }
}

function describeOutcome(outcome: TurnOutcome): Pick<AnswerObject, 'status'> & Partial<AnswerObject> {
  if (outcome.kind === 'failed')
    return {
      status: 'failed',
      error: { code: outcome.reason.replaceAll('-', '_'), message: outcome.text },
    };
  const { text, model, finish, usage } = outcome;
  return {
    status: 'completed',
    answer: text,
    model,
    finish_reason: finish,
    usage: usage
      ? {
          prompt_tokens: usage.promptTokens,
          completion_tokens: usage.completionTokens,
          reasoning_tokens: usage.reasoningTokens,
          cached_tokens: usage.cachedTokens,
          total_tokens: usage.promptTokens + usage.completionTokens,
        }
      : null,
  };
}
