import type { CommandsContext } from '../context.ts';
import {
  channelId,
  type Completion,
  type PromptMessage,
  buildPrompt,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import { estimateUsage, withBudget } from '../../billing/index.ts';
import type { ChatOptions } from '../../ports/index.ts';
import {
  RateLimitedRequest,
  describeFailure,
  failureDetails,
  failureFacts,
  permitHolder,
} from '../../chat/index.ts';
import { type AnyPayload, replyCard, textCard } from './types.ts';

/** Asks the model once, and answers for who called alone. Nothing of it is kept. */
export function runModelRequest(
  called: AnyPayload,
  context: CommandsContext,
  delivery: QueueDelivery,
  question: string,
  model?: string,
): Promise<TaskResult> {
  return answeringFailures(called, context, delivery, async () => {
    const prompt = buildPrompt(context.settings.systemPrompt, [], question);
    const text = await completeRequest(prompt, called, context, delivery, { model });
    return replyCard(called, textCard(text.trim() || localize(called.locale, 'answers.empty')), context);
  });
}

/** Does this; where a model fails at it, who called is told so, or it is tried again later. */
export async function answeringFailures(
  called: AnyPayload,
  context: CommandsContext,
  delivery: QueueDelivery,
  ask: () => Promise<TaskResult>,
): Promise<TaskResult> {
  try {
    return await ask();
  } catch (error) {
    const failure = describeFailure(error, {
      now: context.time.now(),
      zone: context.settings.zone,
      locale: called.locale,
    });
    if (!failure) throw error;
    const { reason, retryAfterMs } = failure;
    const facts = failureFacts(error);
    context.log('command.model-failed', { reason, ...facts });
    if (retryAfterMs !== undefined && !delivery.isLast) return { kind: 'later', afterMs: retryAfterMs };
    const details = failureDetails(facts, called.locale);
    const { parts, ...card } = textCard(failure.sentence, 'bad');
    const notes = details === undefined ? [] : [{ kind: 'note' as const, markdown: details }];
    return replyCard(called, { ...card, parts: [...parts, ...notes] }, context);
  }
}

/** How one completion is asked for. `nth` tells several of one call apart, also when the call is delivered again. */
type ModelRequest = Pick<ChatOptions, 'model' | 'format'> & { readonly nth?: number | string };

/** The words of one completion. Rejects as `completion` does. */
export const completeRequest = async (...asked: Parameters<typeof requestCompletion>): Promise<string> =>
  (await requestCompletion(...asked)).text;

/** One completion, whole. Rejects as `Chat.stream` does, and with RateLimitExceededError. */
export async function requestCompletion(
  prompt: readonly PromptMessage[],
  { invocation }: AnyPayload,
  context: CommandsContext,
  delivery: QueueDelivery,
  { model, format, nth = 1 }: ModelRequest,
): Promise<Completion> {
  const { signal } = new AbortController();
  const { platform, workspace, channel = channelId('none'), by } = invocation;
  const ask = permitHolder({ platform, workspace }, by.user);
  const request = new RateLimitedRequest({ context, delivery, signal, permitRequest: ask });
  try {
    const models = await request.selectModels(model, prompt);
    const limits = { ...request.options, signal, deadline: delivery.deadline };
    const events = withBudget(
      prompt,
      { ...models, ...limits, format },
      {
        context,
        id: nth === 1 ? invocation.id : `${invocation.id}.${nth}`,
        thread: { platform, workspace, channel },
        person: by.user,
        wasSent: () => request.isSent,
      },
    );
    for await (const event of events) {
      if (event.type !== 'end') continue;
      if (event.usage) return event;
      return { ...event, usage: estimateUsage({ prompt, format }, event.text), isUsageEstimated: true };
    }
  } finally {
    await request.end();
  }
  throw new Error('the completion ended without an end');
}
