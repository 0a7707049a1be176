import { type PromptMessage, userId } from '../../domain/index.ts';
import type { Step } from '../../platforms/ports/platform.ts';
import { AnswerBuffer } from '../display/answer-buffer.ts';
import type { ChatOptions } from '../../ports/index.ts';
import { estimateUsage, withBudget, warningStep, type BudgetWarning } from '../../billing/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { ReasoningDisplay } from '../display/reasoning-display.ts';
import { LimitedRequest } from './rate-limited-request.ts';
import { isTooLong } from '../display/error-messages.ts';
import { permitHolder } from './wait-for-permit.ts';
import { STATUS_TEXTS } from '../display/status-indicator.ts';
import {
  answeredOutcome,
  atLimit,
  type CompletionEnd,
  type CompletionOutcome,
  type CompletionRun,
  type CompletionState,
  failed,
  stopped,
} from './completion-outcome.ts';
import { runTools } from '../tools/run-tools.ts';
import { fairShareWeight } from './fair-share-weight.ts';

export type { CompletionOutcome, CompletionRun };

/** How often the model may ask for tools before it has to answer with what it has. */
const MAX_TOOL_ROUNDS = 4;

/**
 * Streams an answer into the reply: one completion, or several with the calls of tools between them. Resolves with how
 * the turn ended, a failure of the upstream included: that is one sentence for the person. Rejects when the claim is
 * lost, or when the table is out of reach.
 */
export async function runCompletion(
  prompt: readonly PromptMessage[],
  work: CompletionRun,
): Promise<CompletionOutcome> {
  const { context, signal, stop } = work;
  const full = new AbortController();
  const draft = new AnswerBuffer({ ...work, onFull: () => full.abort() });
  const step = (one: Step): void => draft.step(one);
  const reasoning = new ReasoningDisplay({ mode: context.settings.reasoning, step, now: context.time.now });
  const run: CompletionState = {
    work,
    draft,
    reasoning,
    either: AbortSignal.any([signal, stop, full.signal]),
  };
  try {
    const end = await fitting(prompt, run);
    if (draft.isFull) return atLimit(run, await work.locale);
    return { kind: 'ended', ending: answeredOutcome(end, run, await work.locale), steps: draft.steps() };
  } catch (error) {
    if (signal.aborted) throw error;
    reasoning.end();
    const locale = await work.locale;
    if (stop.aborted) return stopped(run, locale);
    return draft.isFull ? atLimit(run, locale) : failed(error, run, locale);
  }
}

/** Asks, and if the model could not take the prompt in, asks once more with less of the past. */
async function fitting(prompt: readonly PromptMessage[], run: CompletionState): Promise<CompletionEnd> {
  const { work, draft } = run;
  const again = (): readonly PromptMessage[] | undefined =>
    draft.text === '' ? work.shorter?.() : undefined;
  let shorter: readonly PromptMessage[] | undefined;
  try {
    const end = await runRounds([...prompt], run);
    shorter = end.finish === 'context' ? again() : undefined;
    if (!shorter) return end;
  } catch (error) {
    shorter = isTooLong(error) ? again() : undefined;
    if (!shorter) throw error;
  }
  work.context.log('answer.prompt-shortened', { count: prompt.length - shorter.length });
  return runRounds([...shorter], run);
}

/** Asks, has done what the model wants done, tells it, asks again, until it answers without a call. */
async function runRounds(messages: PromptMessage[], run: CompletionState): Promise<CompletionEnd> {
  const { work, draft, either } = run;
  const { tools: given = [], thinking, model, context } = work;
  either.throwIfAborted();
  const facts = await context.chat.about?.(model);
  const able = given.length > 0 && facts?.tools === true;
  const tools = able ? given : [];
  const definitions = tools.map(({ definition }) => definition);
  for (let round = 1; ; round += 1) {
    either.throwIfAborted();
    const toolChoice = round > MAX_TOOL_ROUNDS ? 'none' : 'auto';
    const end = await requestRound(messages, able ? { tools: definitions, toolChoice } : {}, run);
    const { toolCalls = [] } = end;
    if (toolCalls.length === 0 || tools.length === 0 || toolChoice === 'none') return end;
    messages.push({ role: 'assistant', content: end.text, toolCalls });
    const told = await runTools(toolCalls, {
      locale: await work.locale,
      tools,
      round,
      step: (step) => draft.step(step),
      status: (saying) => thinking.show(saying),
      signal: either,
      context,
    });
    messages.push(...told);
    thinking.show(STATUS_TEXTS);
  }
}

/** One request, shown as it is answered. */
async function requestRound(
  messages: readonly PromptMessage[],
  options: Pick<ChatOptions, 'tools' | 'toolChoice'>,
  { work, draft, reasoning, either }: CompletionState,
): Promise<CompletionEnd> {
  const { context, delivery, thinking, by, early } = work;
  const weight = await fairShareWeight(by.thread, userId(by.person), context);
  const askedMs = work.course?.receivedAt;
  const begun = draft.requests > 0;
  const id = begun || delivery.isLast ? undefined : work.waitId;
  const request = new LimitedRequest({
    context,
    delivery,
    thinking,
    signal: either,
    handedOn: id === undefined ? undefined : work.signal,
    ask: { ...permitHolder(by.thread, by.person), id, weight, askedMs, begun },
    early,
    confirm: work.confirm,
    mayLeave: id !== undefined,
  });
  const models = await request.models(work.model, messages);
  draft.beginRequest(estimateUsage({ prompt: messages, tools: options.tools }).promptTokens);
  reasoning.begin();
  const sent = (): void => work.course?.sent(context.time.now());
  const limits = { ...request.optionsWith(sent), signal: either, deadline: delivery.deadline };
  try {
    let warning: BudgetWarning | undefined;
    const asking = { ...options, ...models, ...limits };
    const events = withBudget(messages, asking, {
      ...by,
      context,
      id: `${by.id}.${draft.requests}`,
      sent: () => request.sent,
      warned: (told) => (warning = told),
    });
    for await (const event of events) {
      if (event.type === 'text') {
        reasoning.pause();
        work.course?.wordsReceived(context.time.now());
        draft.addWords(event.text);
        continue;
      }
      const locale = await work.locale;
      if (event.type === 'reasoning') {
        draft.addReasoning(event.text);
        reasoning.addTrace(event.text, locale);
        continue;
      }
      reasoning.end(event.usage?.reasoningTokens);
      draft.endRequest(event);
      if (warning) draft.step(warningStep(warning, locale));
      notifyStandIn(request, work, draft, locale);
      return event;
    }
  } finally {
    await request.end();
  }
  throw new Error('the completion ended without an end');
}

/** Another model than the one that was asked has answered: that is said. */
function notifyStandIn(
  request: LimitedRequest,
  { model, context }: CompletionRun,
  draft: AnswerBuffer,
  locale: Locale,
): void {
  const wanted = model ?? context.chat.model;
  const by = request.standIn(wanted);
  if (by === undefined || wanted === undefined) return;
  draft.step({
    id: 'stand-in',
    title: localize(locale, `answers.step.stand-in${request.isNotReady(wanted) ? '-not-ready' : ''}`, {
      wanted,
      by,
    }),
    state: 'done',
  });
}
