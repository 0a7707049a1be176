import type { ChatContext } from '../context.ts';
import { resolve } from '../../settings/rules/index.ts';
import {
  isFailureReason,
  type MaskedCounts,
  type TurnOutcome,
  type Usage,
  type AnswerTimings,
  type TurnRef,
} from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import type { Phase } from '../../aws/index.ts';
import { takeCalls } from '../../runtime/index.ts';
import { attoToDollars, formatAttoDollars } from '../../utils/index.ts';

/** The cost of an answer at today's prices, formatted; undefined if it is unknown. */
export async function answerCost(
  outcome: TurnOutcome,
  locale: Locale,
  { price }: Pick<ChatContext, 'price'>,
): Promise<string | undefined> {
  return outcome.kind === 'failed' ? undefined : formatCost([outcome], locale, price);
}

/** The line below an answer: what was masked, and its model and cost if the setting `footer` is on. Undefined for neither. */
export async function answerFooter(
  outcome: TurnOutcome,
  locale: Locale,
  context: Pick<ChatContext, 'settings' | 'price'>,
): Promise<string | undefined> {
  if (outcome.kind === 'failed') return undefined;
  const masked = outcome.masked ? [describeMasked(outcome.masked, locale)] : [];
  const isCostShown = resolve('footer', context.settings.layers).value === true;
  const cost = isCostShown ? [await formatCostLine([outcome], locale, context)] : [];
  return [...masked, ...cost].join(' · ') || undefined;
}

/** Tells people how much private data was masked, by kind; never what. */
export const describeMasked = (counts: MaskedCounts, locale: Locale): string =>
  localize(locale, 'answers.masked', { kinds: listMaskedKinds(counts, locale) });

/** Lists the kinds that were masked, each with its number: `2 e-mail addresses, 1 key`. */
export const listMaskedKinds = (counts: MaskedCounts, locale: Locale): string =>
  MASKED_KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return count > 0 ? [localize(locale, `answers.masked.${kind}`, { count })] : [];
  }).join(', ');

const MASKED_KINDS = ['card', 'key', 'email', 'phone', 'iban', 'custom', 'media'] as const;

/** Models, tokens and cost (at today's prices) of these requests, as far as they are known. */
export async function formatCostLine(
  requests: readonly PricedAnswer[],
  locale: Locale,
  { price }: Pick<ChatContext, 'price'>,
): Promise<string> {
  const models = [...new Set(requests.map(({ model }) => model))].join(', ');
  const counts = requests.flatMap(({ usage }) =>
    usage ? [usage.promptTokens + usage.completionTokens] : [],
  );
  const isCounted = counts.length === requests.length;
  const isEstimated = requests.some(({ isUsageEstimated }) => isUsageEstimated);
  const count = counts.reduce((sum, one) => sum + one, 0);
  const tokens = isCounted
    ? [localize(locale, `answers.step.tokens${isEstimated ? '-estimated' : ''}`, { count })]
    : [];
  return [
    models,
    ...tokens,
    (await formatCost(requests, locale, price)) ??
      localize(locale, isCounted ? 'answers.step.cost-unknown' : 'answers.step.cost-uncounted'),
  ].join(' · ');
}

/** One request to a model, or all of an answer, with its usage. */
type PricedAnswer = {
  readonly model: string;
  readonly requestedModel?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly isUsageEstimated?: boolean | undefined;
  /** Default 1. */
  readonly requests?: number | undefined;
  /** The number of pictures in all requests. Default 0. */
  readonly images?: number | undefined;
};

/** The names of the model of an answer: as the server names it, and as the request named it. A price may be known for one only. */
export const modelNames = ({ model, requestedModel }: PricedAnswer): string[] =>
  requestedModel === undefined ? [model] : [model, requestedModel];

/** Returns the cost at today's prices; undefined without a usage. */
async function findCost(
  answer: PricedAnswer,
  price: ChatContext['price'],
): Promise<Awaited<ReturnType<ChatContext['price']>> | undefined> {
  const { usage, images = 0, requests } = answer;
  return usage && price(modelNames(answer), usage, images, requests);
}

async function formatCost(
  requests: readonly PricedAnswer[],
  locale: Locale,
  price: ChatContext['price'],
): Promise<string | undefined> {
  let sum = 0n;
  for (const answer of requests) {
    const cost = await findCost(answer, price);
    if (!cost?.priced) return undefined;
    sum += cost.atto;
  }
  const isEstimated = requests.some(({ isUsageEstimated }) => isUsageEstimated);
  const amount = formatAttoDollars(sum, locale);
  return isEstimated ? `≈ ${amount}` : amount;
}

/** The phases of an answer until its last update (`nowMs`). */
function listPhases(
  [receivedMs, startedAt, sent, first, ended, requests]: AnswerTimings,
  nowMs: number,
): Phase[] {
  const at = (ms: number): number => receivedMs + ms;
  const phases = [
    { name: 'wait for the models', fromMs: at(startedAt), toMs: at(sent) },
    { name: 'first word', fromMs: at(sent), toMs: at(first) },
    { name: 'answer', fromMs: at(first), toMs: at(ended) },
  ];
  return [...(requests > 0 ? phases : []), { name: 'last update', fromMs: at(ended), toMs: nowMs }];
}

/** Records metrics and phases of an answer that was shown. Never rejects: an unknown price is left out. */
export async function recordAnswerMetrics(
  { thread }: Pick<TurnRef, 'thread'>,
  outcome: TurnOutcome,
  { metrics, price, notePhases, time }: Pick<ChatContext, 'metrics' | 'price' | 'notePhases' | 'time'>,
): Promise<void> {
  const { timings } = outcome;
  if (!timings) return;
  notePhases(listPhases(timings, time.now()), { platform: thread.platform, ending: outcome.kind });
  const [, startedMs, sentMs, firstMs, endedMs, requests] = timings;
  const answered = outcome.kind === 'answered' ? outcome : undefined;
  const usage = answered?.usage;
  const cost = answered && (await findCost(answered, price).catch(() => undefined));
  metrics(
    'answer.ended',
    {
      AnswerTime: endedMs,
      QueueWait: startedMs,
      // An answer that failed or was refused may have no request and no first word.
      ...(requests > 0 && { RequestWait: sentMs - startedMs }),
      ...(answered && { FirstWord: firstMs }),
      PromptTokens: usage?.promptTokens,
      CompletionTokens: usage?.completionTokens,
      Dollars: cost?.priced ? attoToDollars(cost.atto) : undefined,
    },
    {
      platform: thread.platform,
      kind: outcome.kind,
      requests,
      reason: outcome.kind === 'failed' ? outcome.reason : undefined,
      finish: answered?.finish,
      model: answered?.model,
      requestId: answered?.requestId,
      weightVersion: answered?.weightVersion,
      isUsageEstimated: answered?.isUsageEstimated,
      omitted: answered?.omitted?.join(' '),
      calls: takeCalls(),
    },
  );
}

/** Collects the times of an answer, in ms since 1970. */
export class AnswerTimeline {
  readonly receivedAt: number;
  readonly #begunAt: number;
  #sentAt: number | undefined;
  #firstAt: number | undefined;
  #requests = 0;

  constructor(receivedAt: number | undefined, begunAt: number) {
    this.receivedAt = receivedAt ?? begunAt;
    this.#begunAt = begunAt;
  }

  /** Records that a request is about to be sent (ms since 1970). */
  recordRequest(at: number): void {
    this.#sentAt ??= at;
    this.#requests += 1;
  }

  /** Whether a request was sent, or is about to be. */
  get isSent(): boolean {
    return this.#requests > 0;
  }

  /** Records that the model has sent words (ms since 1970). */
  recordWords(at: number): void {
    this.#firstAt ??= at;
  }

  /** Returns all times of an answer that ends `at` (ms since 1970). What has not happened counts as if it happened at the end. */
  toTimings(at: number): AnswerTimings {
    const after = (moment: number | undefined): number => Math.max(0, (moment ?? at) - this.receivedAt);
    return [
      this.receivedAt,
      after(this.#begunAt),
      after(this.#sentAt),
      after(this.#firstAt),
      after(at),
      this.#requests,
    ];
  }
}

/**
 * Counts a question that got no answer, and logs which one: `npx parley redrive` answers it again, and not every front logs the ids of messages. Never
 * rejects.
 */
export async function recordFailedQuestion(
  { thread, message }: Pick<TurnRef, 'thread' | 'message'>,
  outcome: TurnOutcome,
  {
    budgets,
    log,
  }: { readonly budgets: Pick<ChatContext['budgets'], 'countFailure'>; readonly log: ChatContext['log'] },
): Promise<void> {
  if (outcome.kind !== 'failed' || !isFailureReason(outcome.reason)) return;
  const { platform, workspace, channel, root } = thread;
  log('question.failed', { platform, workspace, channel, root, message, reason: outcome.reason });
  await budgets.countFailure({ thread, id: message });
}
