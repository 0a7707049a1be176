import { jsonAnswer } from '../exchange.ts';
import type { SimAnswer } from '../exchange.ts';
import { authenticate } from '../keys.ts';
import { listed } from '../models.ts';
import { announceLimit, setError, takeLimit } from '../limit-responses.ts';
import type { Call, State } from '../state.ts';

const CREATED = 1_767_225_600;

/** `GET /v1/models`: the models available to the key. */
export function listModels(state: State, call: Call): SimAnswer {
  announceLimit(state, call, 'models');
  const key = authenticate(call.request, 'bearer', state.keys);
  takeLimit(state, call, key, 'models');
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  const models = [...state.models.values()].filter(({ id }) => key.models?.includes(id) ?? true);
  const isBare = state.settings.modelFacts === 'id';
  const data = models.map((model) => (isBare ? { id: model.id, object: 'model' } : listed(model, CREATED)));
  return jsonAnswer(200, { object: 'list', data });
}

/** `/v1/messages` and `/v1/responses`: their payloads are undocumented; they count for the chat limit. */
export function otherChat(state: State, call: Call): SimAnswer {
  announceLimit(state, call, 'chat');
  const key = authenticate(call.request, 'either', state.keys);
  takeLimit(state, call, key, 'chat');
  return setError(call) ?? jsonAnswer(200, { id: call.id, object: 'opaque' });
}
