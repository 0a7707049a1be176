import type { FixedPriceRequest } from '../billing/index.ts';
import { attoToDollars } from '../utils/index.ts';
import type { VoiceContext } from './ports.ts';

/** The model name under which speech requests are priced and booked: the service lists no model for them. */
const SPEECH_MODEL = 'speech';
/** After this time the function must have died, and the reservation counts as spent. */
const RESERVATION_MS = 15 * 60_000;

type SpeechRequest<T> = {
  readonly send: () => Promise<T>;
  /** Whether a request was sent that the service has not rejected. `failure`: what ended the last one. */
  readonly mayBeBilled: (failure: unknown) => boolean;
};

/**
 * Sends one speech request within the budget: reserves its price first, books it after the response, and releases it if
 * the request was rejected or not sent. Each call is another request. Throws BudgetExceededError before anything is sent.
 */
export async function withSpeechBudget<T>(
  request: Pick<FixedPriceRequest, 'id' | 'thread' | 'person'>,
  { send, mayBeBilled }: SpeechRequest<T>,
  { budgets, metrics }: Pick<VoiceContext, 'budgets' | 'metrics'>,
): Promise<T> {
  const { atto, priced } = await budgets.getRequestPrice(SPEECH_MODEL);
  const price = { ...request, id: budgets.createReservationId(request.id), atto, maxMs: RESERVATION_MS };
  const accounts = await budgets.reserveFixedPrice(price);
  const usage = { model: SPEECH_MODEL, priced };
  try {
    const response = await send();
    if (priced) metrics('voice.paid', { Dollars: attoToDollars(atto) }, { kind: SPEECH_MODEL });
    await budgets.settleFixedPrice(accounts, price, usage);
    return response;
  } catch (error) {
    await budgets.settleFixedPrice(accounts, price, mayBeBilled(error) ? usage : undefined);
    throw error;
  }
}
