import type { Ending, TurnRef } from '../conversation/index.ts';
import type { Deps } from './ports.ts';

/** Dollars are 10^18 of what prices are counted in. */
const ATTO = 1e18;

/** Measures an answer that was shown. Never rejects: a price that cannot be had is left out. */
export async function measureAnswer(
  { thread }: Pick<TurnRef, 'thread'>,
  ending: Ending,
  { metrics, price }: Pick<Deps, 'metrics' | 'price'>,
): Promise<void> {
  const { course } = ending;
  if (!metrics || !course) return;
  const [, begunMs, sentMs, firstMs, endedMs, requests] = course;
  const answered = ending.kind === 'answered' ? ending : undefined;
  const usage = answered?.usage;
  const cost = usage && (await price?.([answered.model], usage, 0).catch(() => undefined));
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
