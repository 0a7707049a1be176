import type { ChatContext } from '../context.ts';
import type { AnswerTimings, TurnOutcome, TurnRef } from '../../domain/index.ts';
import type { Phase } from '../../aws/index.ts';
import { modelNames } from './cost-footer.ts';

/** Prices are counted in attodollars. */
const ATTO_PER_DOLLAR = 1e18;

/** The phases of an answer until its last update (`nowMs`). */
function phasesOf([receivedMs, begun, sent, first, ended, requests]: AnswerTimings, nowMs: number): Phase[] {
  const at = (ms: number): number => receivedMs + ms;
  const asked = [
    { name: 'wait for the models', fromMs: at(begun), toMs: at(sent) },
    { name: 'first word', fromMs: at(sent), toMs: at(first) },
    { name: 'answer', fromMs: at(first), toMs: at(ended) },
  ];
  return [...(requests > 0 ? asked : []), { name: 'last update', fromMs: at(ended), toMs: nowMs }];
}

/** Records metrics and phases of an answer that was shown. Never rejects: an unknown price is left out. */
export async function recordAnswerMetrics(
  { thread }: Pick<TurnRef, 'thread'>,
  ending: TurnOutcome,
  { metrics, price, notePhases, time }: Pick<ChatContext, 'metrics' | 'price' | 'notePhases' | 'time'>,
): Promise<void> {
  const { course } = ending;
  if (!course) return;
  notePhases(phasesOf(course, time.now()), { platform: thread.platform, ending: ending.kind });
  const [, begunMs, sentMs, firstMs, endedMs, requests] = course;
  const answered = ending.kind === 'answered' ? ending : undefined;
  const usage = answered?.usage;
  const cost = usage && (await price(modelNames(answered), usage, 0).catch(() => undefined));
  metrics(
    'answer.ended',
    {
      AnswerTime: endedMs,
      QueueWait: begunMs,
      // An answer that failed or was refused may have no request and no first word.
      ...(requests > 0 && { RequestWait: sentMs - begunMs }),
      ...(answered && { FirstWord: firstMs }),
      PromptTokens: usage?.promptTokens,
      CompletionTokens: usage?.completionTokens,
      Dollars: cost?.priced ? Number(cost.atto) / ATTO_PER_DOLLAR : undefined,
    },
    {
      platform: thread.platform,
      kind: ending.kind,
      requests,
      reason: ending.kind === 'failed' ? ending.reason : undefined,
      finish: answered?.finish,
      model: answered?.model,
      requestId: answered?.requestId,
      weightVersion: answered?.weightVersion,
      isUsageEstimated: answered?.isUsageEstimated,
      omitted: answered?.omitted?.join(' '),
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

  /** A request is about to be sent. */
  sent(at: number): void {
    this.#sentAt ??= at;
    this.#requests += 1;
  }

  /** Whether a request was sent, or is about to be. */
  get isSent(): boolean {
    return this.#requests > 0;
  }

  /** The model has sent words. */
  wordsReceived(at: number): void {
    this.#firstAt ??= at;
  }

  /** All times in a compact form. What has not happened counts as if it happened at the end. */
  ended(at: number): AnswerTimings {
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
