import { DEFAULT_ANSWER_TOKENS, maxAnswerTokens, type PromptMessage } from '../domain/index.ts';
import { AllModelsBusyError, RateLimitExceededError } from '../rate-limits/index.ts';
import type { Step } from '../platforms/ports/platform.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { UpstreamError } from '../upstream/index.ts';
import type { Chat, ChatOptions, CompletionEvent, Settings } from '../ports/index.ts';
import type { Budgets, Hold } from './unlimited-budget.ts';
import type { BudgetWarning } from './ledger-entries.ts';
import { BudgetExceeded, type PlannedRequest } from './budget-service.ts';

export type MeteredOptions = Pick<PlannedRequest, 'id' | 'thread' | 'person'> & {
  readonly context: {
    readonly chat: Chat;
    readonly settings: Settings;
    readonly budgets: Pick<Budgets, 'reserve'>;
  };
  /** There is no use for a longer answer (tokens), however long those may be that people get. */
  readonly mostTokens?: number | undefined;
  /** Whether a request has left. */
  readonly sent: () => boolean;
  /** Told that most of a budget is used. */
  readonly warned?: ((warning: BudgetWarning) => void) | undefined;
};

/**
 * The events of one completion, paid for: what is sent is reserved before, with the longest answer that it may have; booked at
 * its end or where it was broken off; given back if it came to nothing. Throws BudgetExceeded before anything is sent. Everything
 * that people ask goes through here, so that the longest answer is the same for every way to ask.
 */
export async function* withBudget(
  prompt: readonly PromptMessage[],
  options: Omit<ChatOptions, 'maxTokens'>,
  paying: MeteredOptions,
): AsyncGenerator<CompletionEvent> {
  const { context, sent, warned } = paying;
  const { hold, model, maxTokens } = await reserved(prompt, options, paying);
  let words = '';
  let booked = false;
  let free = false;
  try {
    for await (const event of context.chat.stream(prompt, { ...options, maxTokens })) {
      if (event.type === 'end') {
        booked = true;
        const warning = await hold.settle(event.model, event.usage, words);
        if (warning) warned?.(warning);
      } else words += event.text;
      yield event;
    }
  } catch (error) {
    free = words === '' && isFreeFailure(error);
    throw error;
  } finally {
    if (!booked) await (free || !sent() ? hold.release() : hold.settle(model, undefined, words));
  }
}

type Reserved = {
  readonly hold: Hold;
  readonly model: string;
  readonly maxTokens: number;
};

/**
 * Reserves what is to be sent. Where a budget has no room for an answer of the length that is set, but for one of the usual
 * length, it may have that.
 */
async function reserved(
  prompt: readonly PromptMessage[],
  { model: asked, standIns = [], tools, format }: Omit<ChatOptions, 'maxTokens'>,
  { id, thread, person, context, mostTokens = Infinity }: MeteredOptions,
): Promise<Reserved> {
  const { chat, settings, budgets } = context;
  const facts = await chat.modelFacts?.(asked);
  const model = asked ?? chat.model ?? 'unknown';
  const call = { id, thread, person, model, standIns, prompt, tools, format };
  const wanted = Math.min(mostTokens, maxAnswerTokens(facts?.context, settings.maxTokens));
  try {
    const hold = await budgets.reserve({ ...call, maxTokens: wanted });
    return { hold, model, maxTokens: wanted };
  } catch (error) {
    const isTooLong = error instanceof BudgetExceeded && error.budget !== undefined;
    if (!isTooLong || wanted <= DEFAULT_ANSWER_TOKENS) throw error;
    const hold = await budgets.reserve({ ...call, maxTokens: DEFAULT_ANSWER_TOKENS });
    return { hold, model, maxTokens: DEFAULT_ANSWER_TOKENS };
  }
}

/**
 * A response that is a rejection is not billed, and neither is a request that the client did not send because the model
 * cannot answer it. Whether a request without a response is billed is unknown.
 */
export const isFreeFailure = (error: unknown): boolean =>
  error instanceof RateLimitExceededError ||
  error instanceof AllModelsBusyError ||
  (error instanceof UpstreamError && (error.status !== undefined || error.kind === 'bad-request'));

/** What stands beside an answer where most of a budget is used. */
export const warningStep = (warning: BudgetWarning, locale: Locale): Step => ({
  id: 'budget',
  title: localize(locale, 'answers.step.budget', warning),
  state: 'done',
});
