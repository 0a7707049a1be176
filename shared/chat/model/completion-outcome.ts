import type { ChatContext } from '../context.ts';
import {
  type FailureFacts,
  countJsonBytes,
  type PromptMessage,
  type TurnOutcome,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { QueuedRequestError } from '../../rate-limits/index.ts';
import type { Reply, Step } from '../../platforms/ports/index.ts';
import type { AnswerTimeline } from '../display/answer-metrics.ts';
import type { AnswerBuffer } from '../display/answer-buffer.ts';
import { MAX_RECHECK_MS, type PrefetchedPermit, returnToQueue } from './wait-for-permit.ts';
import { formatNotice, formatStoppedNotice } from '../display/notices.ts';
import type { CompletionEvent, ChatTool } from '../../ports/index.ts';
import type { PlannedRequest } from '../../billing/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import type { ReasoningDisplay, StatusIndicator } from '../display/progress-display.ts';
import { describeFailure } from '../display/error-messages.ts';
import { failureFacts } from '../display/failure-facts.ts';
import { formatModelBusy, formatQueueWait } from '../display/queue-status.ts';

export type CompletionRun = {
  readonly reply: Reply;
  readonly statusIndicator: StatusIndicator;
  /** The locale of notices. Never rejects. The first request does not wait for it. */
  readonly locale: Promise<Locale>;
  /** Aborted when this worker may no longer work on the turn. */
  readonly signal: AbortSignal;
  /** Called before each request: see `Lease.confirm`. */
  readonly confirm: () => Promise<void>;
  /** Aborted when a person stops the answer: the text so far is the answer. */
  readonly stop: AbortSignal;
  /** The requested model; undefined for the default model. */
  readonly model: string | undefined;
  /** How many versions of the answer to request; undefined for one. */
  readonly versions: number | undefined;
  readonly owner: RequestOwner;
  /** The tools of the model. Offered only to models that are known to support tools. */
  readonly tools: readonly ChatTool[];
  /** A notice of the bot above the answer, for example about unreadable files; empty for none. */
  readonly opening: string;
  /** The earlier text of the model that this completion continues; empty for a new answer. The outcome holds only the new text. */
  readonly prefix: string;
  /** The most bytes of JSON that can be stored of the answer, prefix and opening included. */
  readonly maxBytes: number;
  /** Returns the prompt with less history, for a model whose context is too small; undefined if no history is left. */
  readonly shortenPrompt: () => readonly PromptMessage[] | undefined;
  /**
   * The id of this work in the wait queue, the same in every worker. With an id, the task returns to the queue for a long wait,
   * unless a request was sent before.
   */
  readonly waitId: string | undefined;
  /** The permit of the first request, if it was taken in advance. */
  readonly prefetchedPermit: PrefetchedPermit | undefined;
  /** Records the times of requests and of the first word. */
  readonly timeline: AnswerTimeline;
  readonly delivery: QueueDelivery;
  readonly context: Pick<
    ChatContext,
    | 'chat'
    | 'permits'
    | 'breakers'
    | 'budgets'
    | 'metrics'
    | 'settings'
    | 'memberRoles'
    | 'toolLog'
    | 'time'
    | 'log'
  >;
};

/** The person whose fair share and budget the requests use. `id` is unique for each attempt to answer a turn. */
type RequestOwner = Pick<PlannedRequest, 'id' | 'thread' | 'person'> & {
  /** Whether they answer a new question. */
  readonly isQuestion: boolean;
};

export type CompletionOutcome =
  | { readonly kind: 'ended'; readonly outcome: TurnOutcome; readonly steps: readonly Step[] }
  | Extract<TaskResult, { kind: 'later' }>;

export type CompletionEnd = Extract<CompletionEvent, { type: 'end' }>;

export type CompletionState = {
  readonly run: CompletionRun;
  readonly buffer: AnswerBuffer;
  readonly reasoning: ReasoningDisplay;
  /** The requests to which a model responded, and the pictures in their prompts. Both may have a price. */
  readonly responded: { requests: number; images: number };
  /** Aborted by `run.signal`, by `run.stop`, and when the buffer is full. */
  readonly abortSignal: AbortSignal;
};

/** Returns the outcome of an answer that the model ended itself. */
export function createAnsweredOutcome(
  { finish, model, requestedModel, requestId, weightVersion, logprobs, alternatives }: CompletionEnd,
  state: CompletionState,
  locale: Locale,
): TurnOutcome {
  const { buffer } = state;
  const { prefix, maxBytes } = state.run;
  const isEmpty = buffer.text.trim() === '' && prefix === '';
  const noticeKey = isEmpty
    ? (EMPTY_NOTICES_BY_FINISH.get(finish) ?? 'empty')
    : NOTICES_BY_FINISH.get(finish);
  const notice = noticeKey && formatNotice(localize(locale, `answers.${noticeKey}`));
  const content = notice === undefined ? { text: buffer.text } : buffer.withNotice(notice);
  const confidence = calculateConfidence(logprobs);
  const isWhole = finish === 'stop' && notice === undefined;
  const versions = isWhole ? listVersions(alternatives, buffer, maxBytes) : [];
  return {
    kind: 'answered',
    ...content,
    ...(confidence !== undefined && { confidence }),
    ...(versions.length > 1 && { versions }),
    finish,
    model,
    ...(requestedModel !== undefined && { requestedModel }),
    ...requestFacts(state),
    requestId,
    weightVersion,
  };
}

/** Returns the different versions of the answer, the shown one first, as far as there is room for them beside it. */
function listVersions(
  alternatives: readonly string[] = [],
  buffer: AnswerBuffer,
  maxBytes: number,
): readonly string[] {
  let room = maxBytes - countJsonBytes(buffer.text);
  const versions = new Set([buffer.text, ...alternatives.map((words) => buffer.createVersion(words))]);
  return [...versions].filter((text) => (room -= countJsonBytes(text)) >= 0);
}

/** Returns the usage of all requests, the request fields that were left out, the calls of tools, and what was masked. */
const requestFacts = ({
  buffer: { usage, isUsageEstimated, omitted, toolCalls, masked },
  responded: { requests, images },
}: CompletionState) => ({
  usage,
  ...(requests > 1 && { requests }),
  ...(images > 0 && { images }),
  ...(masked && { masked }),
  ...(toolCalls.length > 0 && { toolCalls: [...toolCalls] }),
  ...(isUsageEstimated && { isUsageEstimated }),
  ...(omitted.length > 0 && { omitted }),
});

/** The notices below answers that the model could not complete, by finish reason. */
const NOTICES_BY_FINISH = new Map<string, 'cut' | 'full' | 'filtered'>([
  ['length', 'cut'],
  ['context', 'full'],
  ['content_filter', 'filtered'],
]);

/** The notices in place of answers without a word. */
const EMPTY_NOTICES_BY_FINISH = new Map<string, 'empty-length' | 'failure.too-long' | 'filtered'>([
  ['length', 'empty-length'],
  // The earlier messages were left out before.
  ['context', 'failure.too-long'],
  ['content_filter', 'filtered'],
]);

/** Returns the outcome after Stop: the text so far, with its usage. */
export function createStoppedOutcome(state: CompletionState, locale: Locale): CompletionOutcome {
  const { count, exact } = state.buffer.tokens;
  return partialOutcome('stopped', formatStoppedNotice(count, exact, locale), state);
}

/** Returns the outcome of an answer that reached the largest size that can be stored. It cannot be continued. */
export const createAtLimitOutcome = (state: CompletionState, locale: Locale): CompletionOutcome =>
  partialOutcome('at-limit', formatNotice(localize(locale, 'answers.at-limit')), state);

/** Returns the outcome of an answer that ended early: the text so far, and a notice. */
function partialOutcome(
  finish: 'stopped' | 'interrupted' | 'at-limit',
  notice: string,
  state: CompletionState,
  failure?: FailureFacts,
): CompletionOutcome {
  const { run, buffer } = state;
  const { requestId, weightVersion } = buffer.end ?? {};
  const outcome: TurnOutcome = {
    kind: 'answered',
    ...buffer.withNotice(notice),
    finish,
    model: buffer.end?.model ?? run.model ?? run.context.chat.model ?? 'unknown',
    ...requestFacts(state),
    requestId: requestId ?? failure?.requestId,
    weightVersion,
    ...(failure && { failure }),
  };
  return { kind: 'ended', outcome, steps: buffer.steps() };
}

/**
 * Returns the outcome of a failure: a retry later, the text so far, or an error message. Throws errors that `describeFailure`
 * does not know.
 */
export async function createFailedOutcome(
  error: unknown,
  state: CompletionState,
  locale: Locale,
): Promise<CompletionOutcome> {
  const { run, buffer } = state;
  const { context, delivery, statusIndicator } = run;
  // The person already sees their position in the queue.
  if (error instanceof QueuedRequestError) return returnToQueue(error.retryAfterMs);
  const { zone } = context.settings;
  const now = context.time.now();
  const failure = describeFailure(error, { now, zone, locale });
  if (!failure) throw error;
  const { reason, retryAfterMs, sentence, isInterrupted } = failure;
  const facts = failureFacts(error);
  if (retryAfterMs !== undefined && buffer.text === '' && !delivery.isLast) {
    context.log('answer.postponed', { reason, ...facts });
    statusIndicator.show(
      reason === 'at-capacity'
        ? formatModelBusy(retryAfterMs, now, zone)
        : formatQueueWait(retryAfterMs, { now, zone }),
    );
    // Not longer at a time: the thread waits meanwhile, and Slack clears the status after two minutes.
    return { kind: 'later', afterMs: Math.min(MAX_RECHECK_MS, retryAfterMs) };
  }
  context.log('answer.failed', { reason, ...facts });
  if (buffer.text !== '') {
    const notice = isInterrupted ? localize(locale, 'answers.interrupted') : sentence;
    return partialOutcome('interrupted', formatNotice(notice), state, facts);
  }
  const { text } = buffer.withNotice(formatNotice(sentence));
  const { toolCalls } = buffer;
  const outcome: TurnOutcome = {
    kind: 'failed',
    reason,
    text,
    ...(toolCalls.length > 0 && { toolCalls: [...toolCalls] }),
    failure: facts,
  };
  return { kind: 'ended', outcome, steps: buffer.steps() };
}

/**
 * Returns how sure the model was of an answer: the geometric mean of the probabilities of its tokens, 0 to 1. Undefined
 * without tokens.
 */
export function calculateConfidence(
  tokens: readonly { readonly logprob: number }[] = [],
): number | undefined {
  if (tokens.length === 0) return undefined;
  const sum = tokens.reduce((total, { logprob }) => total + logprob, 0);
  return Math.round(Math.exp(sum / tokens.length) * 1_000) / 1_000;
}
