import { isFreeFailure } from '../billing/metered-stream.ts';
import type { WorkerContext } from '../context/ports.ts';
import type { FixedPrice } from '../billing/budget-service.ts';

/** Under this name requests for speech are priced and booked: the service lists no model for them. */
export const SPEECH_MODEL = 'speech';
/** Dollars are 10^18 of what prices are counted in. */
const ATTO = 1e18;
/** A function that has not ended a request after this has died; it then counts as spent. */
const HOLD_MS = 15 * 60_000;

/**
 * One request for speech, paid for: reserved before it is sent, booked when it was answered, given back where it was
 * refused. The same again counts once. Throws BudgetExceeded before anything is sent.
 */
export async function withSpeechBudget<T>(
  request: Pick<FixedPrice, 'id' | 'thread' | 'person'>,
  send: () => Promise<T>,
  { budgets, metrics }: Pick<WorkerContext, 'budgets' | 'metrics'>,
): Promise<T> {
  const { atto, priced } = await budgets.perRequest(SPEECH_MODEL);
  const fixed = { ...request, atto, maxMs: HOLD_MS };
  const accounts = await budgets.agree(fixed);
  const made = { model: SPEECH_MODEL, priced };
  try {
    const answer = await send();
    if (priced) metrics('voice.paid', { Dollars: Number(atto) / ATTO }, { kind: SPEECH_MODEL });
    await budgets.finish(accounts, fixed, made);
    return answer;
  } catch (error) {
    await budgets.finish(accounts, fixed, isFreeFailure(error) ? undefined : made);
    throw error;
  }
}
