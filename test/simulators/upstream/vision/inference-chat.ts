import { complete } from '../chat/endpoint.ts';
import type { SimAnswer } from '../exchange.ts';
import { authenticate } from '../keys.ts';
import { setError } from '../limit-responses.ts';
import type { Call, State } from '../state.ts';

/** `POST /v2/inference/chat/completions`: the chat of one third-party model under the vision address. No limit is shown. */
export function inferenceChat(state: State, call: Call): SimAnswer {
  const key = authenticate(call.request, 'either', state.keys);
  return setError(call) ?? complete(state, call, key, false);
}
