import type { AnswerTimings, TurnOutcome, TurnRef } from '../../domain/index.ts';
import type { Phase } from '../../aws/xray-segments.ts';
import type { WorkerContext } from '../../context/ports.ts';

/** Dollars are 10^18 of what prices are counted in. */
const ATTO = 1e18;

/** What the time of an answer was spent on, until it was shown whole (`nowMs`). */
function phasesOf([receivedMs, begun, sent, first, ended, requests]: AnswerTimings, nowMs: number): Phase[] {
  const at = (ms: number): number => receivedMs + ms;
  const asked = [
    { name: 'wait for the models', fromMs: at(begun), toMs: at(sent) },
    { name: 'first word', fromMs: at(sent), toMs: at(first) },
    { name: 'answer', fromMs: at(first), toMs: at(ended) },
  ];
  return [...(requests > 0 ? asked : []), { name: 'last update', fromMs: at(ended), toMs: nowMs }];
}

/** Measures an answer that was shown. Never rejects: a price that cannot be had is left out. */
export async function recordAnswerMetrics(
  { thread }: Pick<TurnRef, 'thread'>,
  ending: TurnOutcome,
  { metrics, price, notePhases, time }: Pick<WorkerContext, 'metrics' | 'price' | 'notePhases' | 'time'>,
): Promise<void> {
  const { course } = ending;
  if (!course) return;
  notePhases(phasesOf(course, time.now()), { platform: thread.platform, ending: ending.kind });
  const [, begunMs, sentMs, firstMs, endedMs, requests] = course;
  const answered = ending.kind === 'answered' ? ending : undefined;
  const usage = answered?.usage;
  const cost = usage && (await price([answered.model], usage, 0).catch(() => undefined));
  metrics(
    'answer.ended',
    {
      AnswerTime: endedMs,
      QueueWait: begunMs,
      // What failed or was refused may have asked no model, and has no first word.
      ...(requests > 0 && { RequestWait: sentMs - begunMs }),
      ...(answered && { FirstWord: firstMs }),
      PromptTokens: usage?.promptTokens,
      CompletionTokens: usage?.completionTokens,
      Dollars: cost?.priced ? Number(cost.atto) / ATTO : undefined,
    },
    {
      platform: thread.platform,
      kind: ending.kind,
      requests,
      reason: ending.kind === 'failed' ? ending.reason : undefined,
      finish: answered?.finish,
      model: answered?.model,
      requestId: answered?.requestId,
    },
  );
}
