import type { CommandsContext } from '../context.ts';
import {
  channelId,
  type Completion,
  type Interaction,
  type MaskedCounts,
  type PromptMessage,
  buildPrompt,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { estimateUsage, withBudget } from '../../billing/index.ts';
import { addMasked } from '../../private-data/index.ts';
import type { ChatOptions } from '../../ports/index.ts';
import {
  RateLimitedRequest,
  describeFailure,
  describeMasked,
  failureDetails,
  failureFacts,
  MAX_RECHECK_MS,
  toHolder,
} from '../../chat/index.ts';
import { type InteractionRequest, replyCard, textCard } from './types.ts';

/** Sends one request to the model and responds ephemerally. Stores nothing. */
export function runModelRequest(
  request: InteractionRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  question: string,
  model?: string,
): Promise<TaskResult> {
  return withFailureReply(request, context, delivery, async () => {
    const prompt = buildPrompt(
      context.settings.systemPrompt,
      [],
      await withNames(question, request.interaction, context),
    );
    const { locale } = request;
    const { text, masked } = await requestCompletion(prompt, request, context, delivery, { model });
    const { parts, ...card } = textCard(text.trim() || localize(locale, 'answers.empty'));
    return replyCard(request, { ...card, parts: [...parts, ...createMaskedNote(masked, locale)] }, context);
  });
}

/** Names the people whom a question mentions by id. */
async function withNames(
  question: string,
  { platform, workspace, channel }: Interaction,
  context: CommandsContext,
): Promise<string> {
  const named = channel && context.platform.nameMentions({ platform, workspace, channel }, [question]);
  const [first = question] = (await named) ?? [];
  return first;
}

/** A note on a card that says what private data was masked, if any was. */
export const createMaskedNote = (masked: MaskedCounts | undefined, locale: Locale) =>
  masked ? [{ kind: 'note' as const, markdown: describeMasked(masked, locale) }] : [];

/** Says what private data was masked in several requests, if any was. They rarely have the same values, so the numbers are added. */
export function describeAllMasked(requests: readonly Completion[], locale: Locale): string[] {
  const all = requests.flatMap(({ masked }) => masked ?? []);
  return all.length > 0 ? [`${describeMasked(addMasked(all), locale)}.`] : [];
}

/** Runs an action. If a model fails, explains the failure to the person, or retries later. */
export async function withFailureReply(
  request: InteractionRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  action: () => Promise<TaskResult>,
): Promise<TaskResult> {
  try {
    return await action();
  } catch (error) {
    const failure = describeFailure(error, {
      now: context.time.now(),
      zone: context.settings.zone,
      locale: request.locale,
    });
    if (!failure) throw error;
    const { reason, retryAfterMs } = failure;
    const facts = failureFacts(error);
    context.log('command.model-failed', { reason, ...facts });
    // Sooner than a long wait, so that the person is told within ten minutes: Discord takes responses for fifteen.
    if (retryAfterMs !== undefined && !delivery.isLast)
      return { kind: 'later', afterMs: Math.min(MAX_RECHECK_MS, retryAfterMs) };
    const details = failureDetails(facts, request.locale);
    const { parts, ...card } = textCard(failure.sentence, 'bad');
    const notes = details === undefined ? [] : [{ kind: 'note' as const, markdown: details }];
    return replyCard(request, { ...card, parts: [...parts, ...notes] }, context);
  }
}

/** The options of one completion. `nth` identifies it within the interaction, also after a redelivery. */
type ModelRequest = Pick<ChatOptions, 'model' | 'format'> & { readonly nth?: number | string };

/** Requests one completion. Rejects as `Chat.stream` does, and with RateLimitExceededError. */
export async function requestCompletion(
  prompt: readonly PromptMessage[],
  { interaction }: InteractionRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  { model, format, nth = 1 }: ModelRequest,
): Promise<Completion> {
  const { signal } = new AbortController();
  const { platform, workspace, channel = channelId('none'), by } = interaction;
  const ask = toHolder({ platform, workspace }, by.user);
  const request = new RateLimitedRequest({ context, delivery, signal, permitRequest: ask });
  try {
    const models = await request.selectModels(model, prompt);
    const limits = { ...request.options, signal, deadline: delivery.deadline };
    let masked: MaskedCounts | undefined;
    const onMasked = (counts: MaskedCounts): void => void (masked = counts);
    const events = withBudget(
      prompt,
      { ...models, ...limits, format, onMasked },
      {
        context,
        id: nth === 1 ? interaction.id : `${interaction.id}.${nth}`,
        thread: { platform, workspace, channel },
        person: by.user,
        isQuestion: nth === 1,
        mayBeBilled: (failure) => request.countBillable(failure) > 0,
      },
    );
    for await (const event of events) {
      if (event.type !== 'end') continue;
      if (event.usage) return { ...event, masked };
      return {
        ...event,
        masked,
        usage: estimateUsage({ prompt, format }, event.text),
        isUsageEstimated: true,
      };
    }
  } finally {
    await request.end();
  }
  throw new Error('the completion ended without an end');
}
