import { type Ending, type PromptMessage, userId } from '../conversation/index.ts';
import type { Reply, Step } from '../platforms/platform.ts';
import type { Course } from './course.ts';
import { Draft } from './draft.ts';
import type { EarlySlot } from './early-slot.ts';
import { aside, stoppedNotice } from './notices.ts';
import type { ChatEvent, ChatOptions, Delivery, Deps, Verdict } from './ports.ts';
import { paid, warningStep } from './paid.ts';
import { type Locale, say } from '../texts/index.ts';
import { Reasoning } from './reasoning.ts';
import { fullFor } from './model-gate.ts';
import { WaitsInQueue } from './no-slot.ts';
import { LimitedRequest } from './request.ts';
import { explain, isTooLong } from './sentences.ts';
import { askedBy } from './slot.ts';
import type { Warning } from './account-lines.ts';
import type { Planned } from './spending.ts';
import { type Thinking, THINKING } from './thinking.ts';
import { type FlowTool, runTools } from './tools.ts';
import { inQueue } from './wait-in-queue.ts';
import { inLine } from './wait-status.ts';
import { weightAt } from './weight.ts';

/** How often the model may ask for tools before it has to answer with what it has. */
const MOST_HOPS = 4;

export type Generation = {
  readonly reply: Reply;
  readonly thinking: Thinking;
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
  readonly by: By;
  /** What the model may have done; offered only to models that are known to take tools. */
  readonly tools?: readonly FlowTool[] | undefined;
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
  readonly early?: EarlySlot | undefined;
  /** Told what happens, and when. */
  readonly course?: Course | undefined;
  readonly delivery: Delivery;
  readonly deps: Pick<
    Deps,
    'chat' | 'slots' | 'breakers' | 'spending' | 'metrics' | 'settings' | 'standing' | 'time' | 'log'
  >;
};

export type By = Pick<Planned, 'id' | 'thread' | 'person'>;

export type Outcome =
  | { readonly kind: 'ended'; readonly ending: Ending; readonly steps: readonly Step[] }
  | Extract<Verdict, { kind: 'later' }>;

type End = Extract<ChatEvent, { type: 'end' }>;

/**
 * Streams an answer into the reply: one completion, or several with the calls of tools between them. Resolves with how
 * the turn ended, a failure of the upstream included: that is one sentence for the person. Rejects when the claim is
 * lost, or when the table is out of reach.
 */
export async function generate(prompt: readonly PromptMessage[], work: Generation): Promise<Outcome> {
  const { deps, signal, stop } = work;
  const full = new AbortController();
  const draft = new Draft({ ...work, onFull: () => full.abort() });
  const step = (one: Step): void => draft.step(one);
  const reasoning = new Reasoning({ mode: deps.settings.reasoning, step, now: deps.time.now });
  const run: Run = { work, draft, reasoning, either: AbortSignal.any([signal, stop, full.signal]) };
  try {
    const end = await fitting(prompt, run);
    if (draft.isFull) return atLimit(run, await work.locale);
    return { kind: 'ended', ending: answered(end, run, await work.locale), steps: draft.steps() };
  } catch (error) {
    if (signal.aborted) throw error;
    reasoning.end();
    const locale = await work.locale;
    if (stop.aborted) return stopped(run, locale);
    return draft.isFull ? atLimit(run, locale) : failed(error, run, locale);
  }
}

type Run = {
  readonly work: Generation;
  readonly draft: Draft;
  readonly reasoning: Reasoning;
  /** Aborted when the work is to end for either reason, or when there is no room for more. */
  readonly either: AbortSignal;
};

/** Asks, and if the model could not take the prompt in, asks once more with less of the past. */
async function fitting(prompt: readonly PromptMessage[], run: Run): Promise<End> {
  const { work, draft } = run;
  const again = (): readonly PromptMessage[] | undefined =>
    draft.text === '' ? work.shorter?.() : undefined;
  let shorter: readonly PromptMessage[] | undefined;
  try {
    const end = await converse([...prompt], run);
    shorter = end.finish === 'context' ? again() : undefined;
    if (!shorter) return end;
  } catch (error) {
    shorter = isTooLong(error) ? again() : undefined;
    if (!shorter) throw error;
  }
  work.deps.log('answer.shortened', { count: prompt.length - shorter.length });
  return converse([...shorter], run);
}

/** Asks, has done what the model wants done, tells it, asks again, until it answers without a call. */
async function converse(messages: PromptMessage[], run: Run): Promise<End> {
  const { work, draft, either } = run;
  const { tools: given = [], thinking, model, deps } = work;
  either.throwIfAborted();
  const facts = await deps.chat.about?.(model);
  const able = given.length > 0 && facts?.tools === true;
  const tools = able ? given : [];
  const definitions = tools.map(({ definition }) => definition);
  for (let round = 1; ; round += 1) {
    either.throwIfAborted();
    const toolChoice = round > MOST_HOPS ? 'none' : 'auto';
    const end = await ask(messages, able ? { tools: definitions, toolChoice } : {}, run);
    const { toolCalls = [] } = end;
    if (toolCalls.length === 0 || tools.length === 0 || toolChoice === 'none') return end;
    messages.push({ role: 'assistant', content: end.text, toolCalls });
    const told = await runTools(toolCalls, {
      locale: await work.locale,
      tools,
      round,
      step: (step) => draft.step(step),
      status: (saying) => thinking.say(saying),
      signal: either,
      deps,
    });
    messages.push(...told);
    thinking.say(THINKING);
  }
}

/** One request, shown as it is answered. */
async function ask(
  messages: readonly PromptMessage[],
  options: Pick<ChatOptions, 'tools' | 'toolChoice'>,
  { work, draft, reasoning, either }: Run,
): Promise<End> {
  const { deps, delivery, thinking, by, early } = work;
  const weight = await weightAt(by.thread, userId(by.person), deps);
  const askedMs = work.course?.receivedAt;
  const begun = draft.requests > 0;
  const id = begun || delivery.last ? undefined : work.waitId;
  const request = new LimitedRequest({
    deps,
    delivery,
    thinking,
    signal: either,
    handedOn: id === undefined ? undefined : work.signal,
    ask: { ...askedBy(by.thread, by.person), id, weight, askedMs, begun },
    early,
    confirm: work.confirm,
    mayLeave: id !== undefined,
  });
  const models = await request.models(work.model);
  draft.begin();
  reasoning.begin();
  const sent = (): void => work.course?.sent(deps.time.now());
  const limits = { ...request.optionsWith(sent), signal: either, deadline: delivery.deadline };
  try {
    let warning: Warning | undefined;
    const asking = { ...options, ...models, ...limits };
    const events = paid(messages, asking, {
      ...by,
      deps,
      id: `${by.id}.${draft.requests}`,
      sent: () => request.sent,
      warned: (told) => (warning = told),
    });
    for await (const event of events) {
      if (event.type === 'text') {
        reasoning.pause();
        work.course?.said(deps.time.now());
        draft.say(event.text);
        continue;
      }
      const locale = await work.locale;
      if (event.type === 'reasoning') {
        draft.think(event.text);
        reasoning.heard(event.text, locale);
        continue;
      }
      reasoning.end(event.usage?.reasoningTokens);
      draft.ended(event);
      if (warning) draft.step(warningStep(warning, locale));
      tellStandIn(request, work, draft, locale);
      return event;
    }
  } finally {
    await request.end();
  }
  throw new Error('the completion ended without an end');
}

/** Another model than the one that was asked has answered: that is said. */
function tellStandIn(
  request: LimitedRequest,
  { model, deps }: Generation,
  draft: Draft,
  locale: Locale,
): void {
  const wanted = model ?? deps.chat.model;
  const by = request.standIn(wanted);
  if (by === undefined || wanted === undefined) return;
  draft.step({ id: 'stand-in', title: say(locale, 'answers.step.stand-in', { wanted, by }), state: 'done' });
}

function answered(
  { finish, model, requestId, weightVersion }: End,
  { draft, work: { prefix } }: Run,
  locale: Locale,
): Ending {
  const { usage } = draft;
  const nothing = draft.text.trim() === '' && !prefix;
  const closing = nothing ? 'empty' : CLOSING.get(finish);
  const notice = closing && aside(say(locale, `answers.${closing}`));
  const said = notice === undefined ? { text: draft.text } : draft.closedBy(notice);
  return { kind: 'answered', ...said, finish, model, usage, requestId, weightVersion };
}

/** What is said below an answer that is not all the model would have written. */
const CLOSING = new Map<string, 'cut' | 'full'>([
  ['length', 'cut'],
  ['context', 'full'],
]);

/** The person pressed Stop: what has come is the answer, with what it cost. */
function stopped(run: Run, locale: Locale): Outcome {
  const { count, exact } = run.draft.tokens;
  return partial('stopped', stoppedNotice(count, exact, locale), run);
}

/** The answer is as long as one can be kept: it ends here, and cannot be continued. */
const atLimit = (run: Run, locale: Locale): Outcome =>
  partial('at-limit', aside(say(locale, 'answers.at-limit')), run);

/** What has come of an answer that ended early. */
function partial(
  finish: 'stopped' | 'interrupted' | 'at-limit',
  notice: string,
  { work, draft }: Run,
): Outcome {
  const { requestId, weightVersion } = draft.end ?? {};
  const ending: Ending = {
    kind: 'answered',
    ...draft.closedBy(notice),
    finish,
    model: draft.end?.model ?? work.model ?? work.deps.chat.model ?? 'unknown',
    usage: draft.usage,
    requestId,
    weightVersion,
  };
  return { kind: 'ended', ending, steps: draft.steps() };
}

async function failed(error: unknown, run: Run, locale: Locale): Promise<Outcome> {
  const { work, draft } = run;
  const { deps, delivery, thinking } = work;
  // Whoever waits in the queue was told the place and the time.
  if (error instanceof WaitsInQueue) return inQueue(error.retryAfterMs);
  const { zone } = deps.settings;
  const now = deps.time.now();
  const failure = explain(error, { now, zone, locale });
  if (!failure) throw error;
  const { reason, retryAfterMs, sentence, brokeOff } = failure;
  deps.log('answer.failed', { reason });
  if (retryAfterMs !== undefined && draft.text === '' && !delivery.last) {
    thinking.say(
      reason === 'at-capacity' ? fullFor(retryAfterMs, now, zone) : inLine(retryAfterMs, { now, zone }),
    );
    return { kind: 'later', afterMs: retryAfterMs };
  }
  if (draft.text !== '') {
    const notice = brokeOff ? say(locale, 'answers.interrupted') : sentence;
    return partial('interrupted', aside(notice), run);
  }
  const { text } = draft.closedBy(aside(sentence));
  return { kind: 'ended', ending: { kind: 'failed', reason, text }, steps: draft.steps() };
}
