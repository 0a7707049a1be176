import type { ChatContext } from '../context.ts';
import type { FailureFacts, PromptMessage, TurnOutcome } from '../../domain/index.ts';
import { QueuedRequestError } from '../../rate-limits/index.ts';
import type { Reply, Step } from '../../platforms/ports/platform.ts';
import type { AnswerTimeline } from '../display/answer-timeline.ts';
import type { AnswerBuffer } from '../display/answer-buffer.ts';
import type { PrefetchedPermit } from './prefetched-permit.ts';
import { italicNotice, stoppedNotice } from '../display/notices.ts';
import type { CompletionEvent, ChatTool } from '../../ports/index.ts';
import type { QueueDelivery, TaskResult } from '../../context/index.ts';
import type { PlannedRequest } from '../../billing/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import type { ReasoningDisplay } from '../display/reasoning-display.ts';
import { busyForMs } from './model-availability.ts';
import { describeFailure, failureFacts } from '../display/error-messages.ts';
import type { StatusIndicator } from '../display/status-indicator.ts';
import { returnToQueue } from './queue-place.ts';
import { queueStatusText } from '../display/queue-status.ts';

export type CompletionRun = {
  readonly reply: Reply;
  readonly thinking: StatusIndicator;
  /** Of the bot's own words. Never rejects. Not waited for before the model is asked. */
  readonly locale: Promise<Locale>;
  /** The work is no longer this worker's to do. */
  readonly signal: AbortSignal;
  /** Asked before each request: see `Lease`. */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** The person wants no more of it: what there is, is the answer. */
  readonly stop: AbortSignal;
  readonly model?: string | undefined;
  /** Whose share of the key's requests, and whose budget, this takes. `id` tells this work from any other. */
  readonly by: AnsweringModel;
  /** What the model may have done; offered only to models that are known to take tools. */
  readonly tools?: readonly ChatTool[] | undefined;
  /** The bot's own words before the model's, such as what it could not read. */
  readonly opening?: string | undefined;
  /** Words of the model from before, which it is to go on from. The ending holds what is new alone. */
  readonly prefix?: string | undefined;
  /** How many bytes of JSON the answer may have, prefix and opening included: what can be kept of it. */
  readonly maxBytes?: number | undefined;
  /** A prompt with less of the past, for a model that could not take in the first; undefined if there is no less. */
  readonly shorter?: (() => readonly PromptMessage[] | undefined) | undefined;
  /** Names the work, whichever worker does it: while nothing of it is shown or done, a long wait is left to the queue under this name. */
  readonly waitId?: string | undefined;
  /** The right to send a first request, if it was taken beforehand. */
  readonly early?: PrefetchedPermit | undefined;
  /** Told what happens, and when. */
  readonly course?: AnswerTimeline | undefined;
  readonly delivery: QueueDelivery;
  readonly context: Pick<
    ChatContext,
    'chat' | 'permits' | 'breakers' | 'budgets' | 'metrics' | 'settings' | 'memberRoles' | 'time' | 'log'
  >;
};

export type AnsweringModel = Pick<PlannedRequest, 'id' | 'thread' | 'person'>;

export type CompletionOutcome =
  | { readonly kind: 'ended'; readonly ending: TurnOutcome; readonly steps: readonly Step[] }
  | Extract<TaskResult, { kind: 'later' }>;

export type CompletionEnd = Extract<CompletionEvent, { type: 'end' }>;

export type CompletionState = {
  readonly work: CompletionRun;
  readonly draft: AnswerBuffer;
  readonly reasoning: ReasoningDisplay;
  /** Aborted when the work is to end for either reason, or when there is no room for more. */
  readonly either: AbortSignal;
};

/** How an answer ended that the model ended itself. */
export function answeredOutcome(
  { finish, model, requestId, weightVersion }: CompletionEnd,
  { draft, work: { prefix } }: CompletionState,
  locale: Locale,
): TurnOutcome {
  const nothing = draft.text.trim() === '' && !prefix;
  const closing = nothing ? 'empty' : CLOSING.get(finish);
  const notice = closing && italicNotice(localize(locale, `answers.${closing}`));
  const said = notice === undefined ? { text: draft.text } : draft.withNotice(notice);
  return { kind: 'answered', ...said, finish, model, ...requestFacts(draft), requestId, weightVersion };
}

/** What the requests of an answer cost, and what was left out of them. */
const requestFacts = ({ usage, isUsageEstimated, omitted }: AnswerBuffer) => ({
  usage,
  ...(isUsageEstimated && { isUsageEstimated }),
  ...(omitted.length > 0 && { omitted }),
});

/** What is said below an answer that is not all the model would have written. */
const CLOSING = new Map<string, 'cut' | 'full'>([
  ['length', 'cut'],
  ['context', 'full'],
]);

/** The person pressed Stop: what has come is the answer, with what it cost. */
export function stopped(run: CompletionState, locale: Locale): CompletionOutcome {
  const { count, exact } = run.draft.tokens;
  return partial('stopped', stoppedNotice(count, exact, locale), run);
}

/** The answer is as long as one can be kept: it ends here, and cannot be continued. */
export const atLimit = (run: CompletionState, locale: Locale): CompletionOutcome =>
  partial('at-limit', italicNotice(localize(locale, 'answers.at-limit')), run);

/** What has come of an answer that ended early. */
function partial(
  finish: 'stopped' | 'interrupted' | 'at-limit',
  notice: string,
  { work, draft }: CompletionState,
  failure?: FailureFacts,
): CompletionOutcome {
  const { requestId, weightVersion } = draft.end ?? {};
  const ending: TurnOutcome = {
    kind: 'answered',
    ...draft.withNotice(notice),
    finish,
    model: draft.end?.model ?? work.model ?? work.context.chat.model ?? 'unknown',
    ...requestFacts(draft),
    requestId: requestId ?? failure?.requestId,
    weightVersion,
    ...(failure && { failure }),
  };
  return { kind: 'ended', ending, steps: draft.steps() };
}

/** What a failure comes to: a retry later, the part that has come, or a sentence for the person. Throws what is none of the upstream's. */
export async function failed(
  error: unknown,
  run: CompletionState,
  locale: Locale,
): Promise<CompletionOutcome> {
  const { work, draft } = run;
  const { context, delivery, thinking } = work;
  // Whoever waits in the queue was told the place and the time.
  if (error instanceof QueuedRequestError) return returnToQueue(error.retryAfterMs);
  const { zone } = context.settings;
  const now = context.time.now();
  const failure = describeFailure(error, { now, zone, locale });
  if (!failure) throw error;
  const { reason, retryAfterMs, sentence, brokeOff } = failure;
  const facts = failureFacts(error);
  context.log('answer.failed', { reason, ...facts });
  if (retryAfterMs !== undefined && draft.text === '' && !delivery.isLast) {
    thinking.show(
      reason === 'at-capacity'
        ? busyForMs(retryAfterMs, now, zone)
        : queueStatusText(retryAfterMs, { now, zone }),
    );
    return { kind: 'later', afterMs: retryAfterMs };
  }
  if (draft.text !== '') {
    const notice = brokeOff ? localize(locale, 'answers.interrupted') : sentence;
    return partial('interrupted', italicNotice(notice), run, facts);
  }
  const { text } = draft.withNotice(italicNotice(sentence));
  const ending: TurnOutcome = { kind: 'failed', reason, text, failure: facts };
  return { kind: 'ended', ending, steps: draft.steps() };
}
