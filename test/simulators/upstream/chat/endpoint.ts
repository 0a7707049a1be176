import { jsonAnswer, streamAnswer } from '../exchange.ts';
import type { SimAnswer, SimRequest } from '../exchange.ts';
import { parseJson } from '../json.ts';
import { authenticate, bearerOf } from '../keys.ts';
import type { Key } from '../keys.ts';
import type { Model } from '../models.ts';
import { badRequest, invalid } from '../error-responses.ts';
import { announceLimit, setError, takeLimit } from '../limit-responses.ts';
import type { Call, State } from '../state.ts';
import { currentChunks, legacyChunks } from '../stream/chunks.ts';
import { streamSteps } from '../stream/stream-steps.ts';
import type { StreamShape } from '../stream/shape.ts';
import { currentBody, legacyBody } from './body.ts';
import { type Completion, signatureOf } from './completion.ts';
import { readCurrent } from './current.ts';
import { generate } from './generate.ts';
import { readLegacy } from './legacy.ts';
import type { ChatRequest } from './request.ts';

/** `X-Api-Key` without a bearer token selects the legacy shape; with one, the current. */
export function isLegacy(request: SimRequest): boolean {
  return bearerOf(request) === undefined && request.headers['x-api-key'] !== undefined;
}

/** `POST /v1/chat/completions`, both shapes. */
export function chatCompletions(state: State, call: Call): SimAnswer {
  const legacy = isLegacy(call.request);
  announceLimit(state, call, 'chat');
  const key = authenticate(call.request, legacy ? 'api-key' : 'bearer', state.keys);
  takeLimit(state, call, key, 'chat');
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  return complete(state, call, key, legacy);
}

/** Parses the request, creates the answer, and sends it in the requested shape. */
export function complete(state: State, call: Call, key: Key, legacy: boolean): SimAnswer {
  const body = readBody(call.request, legacy);
  const find = (id: string): Model | undefined => modelFor(state, key, id);
  const request = legacy ? readLegacy(body, find) : readCurrent(body, find, state.settings.lenient);
  const sayFault = call.faults.find((fault) => fault.kind === 'say');
  const context = {
    created: Math.floor(state.now() / 1000),
    seed: state.seed,
    cachedTokens: state.prefixes.cachedTokens(key.key, request),
    say: sayFault?.text,
  };
  const generated = Array.from({ length: request.choices }, () =>
    generate(request, { ...context, turn: state.next('chat') }),
  ).map((one) => (state.settings.lenient.sentBack === 'extra_content' ? withSignatures(one) : one));
  const [completion, ...alternatives] = withTotalUsage(generated);
  if (completion === undefined) throw new Error('a request has at least one choice');
  state.metered.push({ at: state.now(), kind: 'chat', user: key.user, what: request.model.id });
  return request.stream
    ? streamed(state, call, request, completion, alternatives)
    : whole(state, request, completion, alternatives);
}

const withSignatures = (completion: Completion): Completion => ({
  ...completion,
  toolCalls: completion.toolCalls.map((call) => ({ ...call, signature: signatureOf(call.id) })),
});

/** The usage of a response counts the prompt once, and the tokens of all its choices. */
function withTotalUsage(choices: readonly Completion[]): Completion[] {
  const total = (count: (one: Completion) => number): number =>
    choices.reduce((sum, one) => sum + count(one), 0);
  const completion = total(({ usage }) => usage.completion);
  const reasoning = total(({ usage }) => usage.reasoning);
  return choices.map((one) => ({ ...one, usage: { ...one.usage, completion, reasoning } }));
}

/** A model that the key may use. */
export function modelFor(state: State, key: Key, id: string): Model | undefined {
  return key.models === undefined || key.models.includes(id) ? state.models.get(id) : undefined;
}

/** The JSON of a request body. Throws 400, or 422 in the legacy shape. */
function readBody(request: SimRequest, legacy: boolean): unknown {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(?:;|$)/iu.test(type)) {
    const message = 'Content-Type must be application/json.';
    throw legacy ? invalid([], message) : badRequest(null, message);
  }
  const parsed = parseJson(String(request.body ?? ''));
  if (parsed !== undefined) return parsed.value;
  throw legacy
    ? invalid([], 'invalid JSON', 'value_error.jsondecode')
    : badRequest(null, 'The body is not JSON.');
}

function whole(
  state: State,
  { shape }: ChatRequest,
  completion: Completion,
  alternatives: readonly Completion[],
): SimAnswer {
  return jsonAnswer(
    200,
    shape === 'legacy'
      ? legacyBody(completion)
      : currentBody(completion, state.settings.fingerprint, alternatives),
  );
}

function streamed(
  state: State,
  call: Call,
  request: ChatRequest,
  completion: Completion,
  alternatives: readonly Completion[],
): SimAnswer {
  if (call.faults.some(({ kind }) => kind === 'json')) return whole(state, request, completion, alternatives);
  const shape = shapeFor(state, call);
  const { paceMs } = state.settings;
  const legacy = request.shape === 'legacy';
  const chunks = legacy ? legacyChunks(completion) : currentChunks(completion, shape, alternatives);
  const steps = streamSteps(chunks, shape, call.faults, paceMs);
  const type: Record<string, string> =
    shape.contentType === undefined ? {} : { 'content-type': shape.contentType };
  return streamAnswer(steps, chunks, type);
}

function shapeFor({ settings }: State, { faults }: Call): StreamShape {
  return faults.reduce<StreamShape>(
    (shape, fault) => (fault.kind === 'shape' ? { ...shape, ...fault.shape } : shape),
    settings.shape,
  );
}
