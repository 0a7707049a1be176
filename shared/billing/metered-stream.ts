import { DEFAULT_ANSWER_TOKENS, getMaxAnswerTokens, type PromptMessage } from '../domain/index.ts';
import { AllModelsBusyError, RateLimitExceededError } from '../rate-limits/index.ts';
import type { Step } from '../platforms/ports/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { UpstreamError, type UpstreamErrorKind } from '../upstream/index.ts';
import {
  type Chat,
  type ChatOptions,
  type CompletionEvent,
  isIncomplete,
  type Settings,
} from '../ports/index.ts';
import type { Budgets, RequestReservation } from './unlimited-budget.ts';
import type { BudgetWarning, PlannedRequest } from './reservation.ts';
import { BudgetExceededError } from './budget-exceeded.ts';

export type MeteredOptions = Pick<PlannedRequest, 'id' | 'thread' | 'person'> & {
  readonly context: {
    readonly chat: Chat;
    readonly settings: Settings;
    readonly budgets: Pick<Budgets, 'reserve'>;
  };
  /** Whether an answer to this request is the answer to a question, which the accounts count. */
  readonly isQuestion?: boolean | undefined;
  /** A longer answer is useless (tokens): limits the answer below what the settings allow. */
  readonly maxUsefulTokens?: number | undefined;
  /** Whether a request was sent to the model API that it has not rejected. `failure`: what ended the last one, if it did before the first word. */
  readonly mayBeBilled: (failure: unknown) => boolean;
  /** Called if most of a budget is used, once per period. Absent if the caller cannot show it: the next answer warns then. */
  readonly onWarning?: ((warning: BudgetWarning) => void) | undefined;
};

/**
 * Streams a completion and pays for it: reserves the cost of the longest possible answer first; books the actual cost at
 * the end or at an interruption; releases the reservation if nothing was billed. Throws BudgetExceededError before
 * anything is sent. Everything that people ask goes through here, so that one rule limits the length of every answer.
 */
export async function* withBudget(
  prompt: readonly PromptMessage[],
  options: Omit<ChatOptions, 'maxTokens'>,
  metering: MeteredOptions,
): AsyncGenerator<CompletionEvent> {
  const { context, mayBeBilled, onWarning, isQuestion = false } = metering;
  const { reservation, model, maxTokens } = await reserveRequest(prompt, options, metering);
  /** What the model has written so far, its reasoning included: all of it is billed. */
  let text = '';
  let hasWords = false;
  let isBooked = false;
  let failure: unknown;
  /** The model of the last attempt: a stand-in, if the others were at capacity. Only the end of an answer names it. */
  let answeringModel = model;
  const beforeAttempt: ChatOptions['beforeAttempt'] = async (attempt, signal, attemptModel) => {
    await options.beforeAttempt(attempt, signal, attemptModel);
    answeringModel = attemptModel ?? model;
  };
  try {
    for await (const event of context.chat.stream(prompt, { ...options, beforeAttempt, maxTokens })) {
      if (event.type === 'end') {
        isBooked = true;
        const { alternatives = [], toolCalls = [] } = event;
        const calls = toolCalls.map((call) => call.name + call.arguments);
        const written = [text, ...alternatives, ...calls].join('');
        // A request for tools is followed by another one, unless a limit cut it.
        const isLast = toolCalls.length === 0 || isIncomplete(event);
        // So is one that did not fit the model, with less history; otherwise the question has no answer.
        const isAnswer = isLast && (hasWords || event.finish !== 'context');
        const warning = await reservation.settle(event.model, event.usage, written, {
          isQuestion: isQuestion && isAnswer,
          canWarn: onWarning !== undefined,
        });
        if (warning) onWarning?.(warning);
      } else {
        text += event.text;
        hasWords ||= event.type === 'text' && event.text !== '';
      }
      yield event;
    }
  } catch (error) {
    if (text === '') failure = error;
    throw error;
  } finally {
    if (!isBooked)
      await (mayBeBilled(failure)
        ? reservation.settle(answeringModel, undefined, text.repeat(options.versions ?? 1), {
            isQuestion: isQuestion && hasWords,
          })
        : reservation.release());
  }
}

type ReservedRequest = {
  readonly reservation: RequestReservation;
  readonly model: string;
  readonly maxTokens: number;
};

/**
 * Reserves the cost of a request. If the budget is too low for an answer of the configured length, but high enough for the
 * default length, the request gets the default length.
 */
async function reserveRequest(
  prompt: readonly PromptMessage[],
  { model: requestedModel, standIns = [], tools, format, versions }: Omit<ChatOptions, 'maxTokens'>,
  { id, thread, person, context, maxUsefulTokens = Infinity }: MeteredOptions,
): Promise<ReservedRequest> {
  const { chat, settings, budgets } = context;
  const modelInfo = await chat.modelFacts(requestedModel);
  const model = requestedModel ?? chat.model ?? 'unknown';
  const request = { id, thread, person, model, standIns, prompt, tools, format, versions };
  const maxTokens = Math.min(maxUsefulTokens, getMaxAnswerTokens(modelInfo.context, settings.maxTokens));
  try {
    const reservation = await budgets.reserve({ ...request, maxTokens });
    return { reservation, model, maxTokens };
  } catch (error) {
    const isBudgetTooLow = error instanceof BudgetExceededError && error.budget !== undefined;
    if (!isBudgetTooLow || maxTokens <= DEFAULT_ANSWER_TOKENS) throw error;
    const reservation = await budgets.reserve({ ...request, maxTokens: DEFAULT_ANSWER_TOKENS });
    return { reservation, model, maxTokens: DEFAULT_ANSWER_TOKENS };
  }
}

/** Errors that say that the server did not begin to answer, also inside a response with status 200. */
const REJECTIONS: ReadonlySet<UpstreamErrorKind> = new Set([
  'bad-request',
  'auth',
  'quota',
  'unknown-model',
  'rate-limited',
  'at-capacity',
]);

/** No connection was made, so nothing was sent. Others, such as a reset, may come after the request. */
const NO_CONNECTION: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'certificate',
]);

/**
 * A response that is a rejection is not billed, and neither is a request that was not sent: the model cannot answer it, or there was no
 * connection. Whether a request without a response is billed is unknown.
 */
export const isFreeFailure = (error: unknown): boolean =>
  error instanceof RateLimitExceededError ||
  error instanceof AllModelsBusyError ||
  (error instanceof UpstreamError &&
    (error.status !== undefined ||
      REJECTIONS.has(error.kind) ||
      (error.kind === 'connection' && NO_CONNECTION.has(error.code))));

/** The step beside an answer that says that most of a budget is used. */
export const createWarningStep = (warning: BudgetWarning, locale: Locale): Step => ({
  id: 'budget',
  title: localize(locale, 'answers.step.budget', warning),
  state: 'done',
});
