import { type MaskedCounts, type PromptMessage, userId } from '../../domain/index.ts';
import type { Step } from '../../platforms/ports/index.ts';
import { AnswerBuffer } from '../display/answer-buffer.ts';
import { type ChatOptions, isIncomplete } from '../../ports/index.ts';
import {
  countImages,
  estimateUsage,
  withBudget,
  createWarningStep,
  type BudgetWarning,
} from '../../billing/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { ReasoningDisplay, THINKING_STATUS } from '../display/progress-display.ts';
import { RateLimitedRequest } from './rate-limited-request.ts';
import { isTooLong } from '../display/error-messages.ts';
import { toHolder, readFairShareWeight } from './wait-for-permit.ts';
import {
  createAnsweredOutcome,
  createAtLimitOutcome,
  type CompletionEnd,
  type CompletionOutcome,
  type CompletionRun,
  type CompletionState,
  createFailedOutcome,
  createStoppedOutcome,
} from './completion-outcome.ts';
import { runTools } from '../tools/run-tools.ts';
import { getPlaceholders } from '../../private-data/index.ts';

/** Most rounds of tool calls. After them, the model has to answer. */
const MAX_TOOL_ROUNDS = 4;

/**
 * Streams an answer into the reply: one completion, or several with tool calls between them. Resolves with the outcome of the
 * turn; a failure of the upstream is an outcome with an error message. Rejects if the claim is lost or the table is
 * unavailable.
 */
export async function runCompletion(
  prompt: readonly PromptMessage[],
  run: CompletionRun,
): Promise<CompletionOutcome> {
  const { context, signal, stop } = run;
  const full = new AbortController();
  const buffer = new AnswerBuffer({ ...run, onFull: () => full.abort() });
  const reasoning = new ReasoningDisplay({
    mode: context.settings.reasoning,
    step: (step: Step) => buffer.step(step),
    now: context.time.now,
  });
  const state: CompletionState = {
    run,
    buffer,
    reasoning,
    responded: { requests: 0, images: 0 },
    abortSignal: AbortSignal.any([signal, stop, full.signal]),
  };
  try {
    const end = await completeWithinContext(prompt, state);
    if (buffer.isFull) return createAtLimitOutcome(state, await run.locale);
    return {
      kind: 'ended',
      outcome: createAnsweredOutcome(end, state, await run.locale),
      steps: buffer.steps(),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    reasoning.end();
    const locale = await run.locale;
    if (stop.aborted) return createStoppedOutcome(state, locale);
    return buffer.isFull ? createAtLimitOutcome(state, locale) : createFailedOutcome(error, state, locale);
  }
}

/** Completes the prompt. If it exceeds the context of the model, tries once more with less history. */
async function completeWithinContext(
  prompt: readonly PromptMessage[],
  state: CompletionState,
): Promise<CompletionEnd> {
  const { run, buffer } = state;
  const shorten = (): readonly PromptMessage[] | undefined =>
    buffer.text === '' ? run.shortenPrompt() : undefined;
  let shorter: readonly PromptMessage[] | undefined;
  try {
    const end = await runRounds([...prompt], state);
    shorter = end.finish === 'context' ? shorten() : undefined;
    if (!shorter) return end;
  } catch (error) {
    shorter = isTooLong(error) ? shorten() : undefined;
    if (!shorter) throw error;
  }
  run.context.log('answer.prompt-shortened', { count: prompt.length - shorter.length });
  return runRounds([...shorter], state);
}

/** Sends the messages, runs the requested tools, and repeats with their results until the model answers without a tool call. */
async function runRounds(messages: PromptMessage[], state: CompletionState): Promise<CompletionEnd> {
  const { run, buffer, abortSignal } = state;
  const { tools: offeredTools, statusIndicator, model, context } = run;
  abortSignal.throwIfAborted();
  const facts = await context.chat.modelFacts(model);
  // Most servers do not say what their models can do. One that refuses tools is asked again without them: see `getRejectedField`.
  const canUseTools = offeredTools.length > 0 && facts.tools !== false;
  if (offeredTools.length > 0 && !canUseTools) buffer.omit('tools');
  const tools = canUseTools ? offeredTools : [];
  const definitions = tools.map(({ definition }) => definition);
  let hasForeignData = false;
  for (let round = 1; ; round += 1) {
    abortSignal.throwIfAborted();
    const toolChoice = round > MAX_TOOL_ROUNDS ? 'none' : 'auto';
    const end = await requestRound(messages, canUseTools ? { tools: definitions, toolChoice } : {}, state);
    const { toolCalls = [], origin } = end;
    const canCall = tools.length > 0 && toolChoice !== 'none';
    // A limit may have cut the arguments of a call, or a further call: none of them runs.
    if (toolCalls.length === 0 || !canCall || isIncomplete(end)) return end;
    messages.push({ role: 'assistant', content: end.text, toolCalls, origin });
    const results = await runTools(toolCalls, {
      placeholders: getPlaceholders(messages, context.settings.layers),
      locale: await run.locale,
      tools,
      round,
      hasForeignData,
      step: (step) => buffer.step(step),
      record: (call) => buffer.recordCall(call),
      owner: run.owner,
      status: (status) => statusIndicator.show(status),
      signal: abortSignal,
      context,
    });
    messages.push(...results);
    const called = new Set(toolCalls.map(({ name }) => name));
    hasForeignData ||= tools.some(
      ({ source, definition }) => source !== undefined && called.has(definition.name),
    );
    statusIndicator.show(THINKING_STATUS);
  }
}

/** Sends one request and shows its response while it arrives. */
async function requestRound(
  messages: readonly PromptMessage[],
  options: Pick<ChatOptions, 'tools' | 'toolChoice'>,
  state: CompletionState,
): Promise<CompletionEnd> {
  const { run, buffer, reasoning, responded, abortSignal } = state;
  const { context, delivery, owner } = run;
  const request = await createRequest(state);
  const models = await request.selectModels(run.model, messages);
  buffer.beginRequest(estimateUsage({ prompt: messages, tools: options.tools }).promptTokens);
  reasoning.begin();
  const onSend = (): void => run.timeline.recordRequest(context.time.now());
  const limits = { ...request.addCallback(onSend), signal: abortSignal, deadline: delivery.deadline };
  try {
    let warning: BudgetWarning | undefined;
    let hasResponse = false;
    const onMasked = (counts: MaskedCounts): void => buffer.recordMasked(counts);
    const requestOptions = { ...options, ...models, ...limits, versions: run.versions, onMasked };
    const events = withBudget(messages, requestOptions, {
      ...owner,
      context,
      id: `${owner.id}.${buffer.requests}`,
      mayBeBilled: (failure) => request.countBillable(failure) > 0,
      onWarning: (budgetWarning) => (warning = budgetWarning),
    });
    for await (const event of events) {
      if (!hasResponse) {
        hasResponse = true;
        responded.requests += 1;
        responded.images += countImages(messages);
      }
      if (event.type === 'text') {
        reasoning.pause();
        run.timeline.recordWords(context.time.now());
        buffer.addWords(event.text);
        continue;
      }
      const locale = await run.locale;
      if (event.type === 'reasoning') {
        buffer.addReasoning(event.text);
        reasoning.addTrace(event.text, locale);
        continue;
      }
      reasoning.end(event.usage?.reasoningTokens);
      buffer.endRequest(event);
      if (lacksVersions(event, run)) buffer.omit('n');
      if (warning) buffer.step(createWarningStep(warning, locale));
      showStandIn(request, run, buffer, locale);
      return event;
    }
  } finally {
    await request.end();
  }
  throw new Error('the completion ended without an end');
}

/** Whether several versions were requested, and the server ignored that. */
const lacksVersions = (
  { alternatives, toolCalls = [] }: CompletionEnd,
  { versions = 1 }: CompletionRun,
): boolean => versions > 1 && alternatives === undefined && toolCalls.length === 0;

/** Creates the next request. Only the first request of an answer may return the task to the queue. */
async function createRequest({ run, buffer, abortSignal }: CompletionState): Promise<RateLimitedRequest> {
  const { context, delivery, statusIndicator, owner, prefetchedPermit } = run;
  const weight = await readFairShareWeight(owner.thread, userId(owner.person), context);
  const requestedAtMs = run.timeline.receivedAt;
  const isContinuation = buffer.requests > 0;
  const id = isContinuation || delivery.isLast ? undefined : run.waitId;
  return new RateLimitedRequest({
    context,
    delivery,
    statusIndicator,
    signal: abortSignal,
    handoverSignal: id === undefined ? undefined : run.signal,
    permitRequest: { ...toHolder(owner.thread, owner.person), id, weight, requestedAtMs, isContinuation },
    prefetchedPermit,
    confirm: run.confirm,
    canRequeue: id !== undefined,
  });
}

/** Shows a step if a stand-in model answered. */
function showStandIn(
  request: RateLimitedRequest,
  { model, context }: CompletionRun,
  buffer: AnswerBuffer,
  locale: Locale,
): void {
  const requestedModel = model ?? context.chat.model;
  const by = request.findStandIn(requestedModel);
  if (by === undefined || requestedModel === undefined) return;
  buffer.step({
    id: 'stand-in',
    title: localize(
      locale,
      `answers.step.stand-in${request.isNotReady(requestedModel) ? '-not-ready' : ''}`,
      {
        wanted: requestedModel,
        by,
      },
    ),
    state: 'done',
  });
}
