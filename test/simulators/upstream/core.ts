import { chatCompletions, isLegacy } from './chat/endpoint.ts';
import { listModels, otherChat } from './chat/models-endpoint.ts';
import { jsonAnswer } from './exchange.ts';
import type { SimAnswer, SimRequest } from './exchange.ts';
import type { Entry } from './journal.ts';
import { isList, isObject, isText, parseJson } from './json.ts';
import type { JsonObject } from './json.ts';
import { errorBody, RefusedError } from './error-responses.ts';
import type { Envelope } from './error-responses.ts';
import type { CoreOptions, LimitHeaders } from './settings.ts';
import { createState } from './state.ts';
import type { Call, State } from './state.ts';
import type { Fault } from './stream/faults.ts';
import { transcription } from './speech/endpoint.ts';
import { inferenceChat } from './vision/inference-chat.ts';
import { library } from './vision/library.ts';
import { cancelJob, getResult, getStatus, listJobs, listMediaModels, submitVideo } from './vision/submit.ts';
import { getFile, getVideo } from './vision/videos.ts';

type Endpoint = (state: State, call: Call) => SimAnswer;

type Route = {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  readonly envelope: (request: SimRequest) => Envelope;
  readonly run: Endpoint;
};

const current = (): Envelope => 'current';
const vision = (): Envelope => 'vision';

/** Every path of the service. */
const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/v1\/chat\/completions$/u,
    envelope: (request) => (isLegacy(request) ? 'legacy' : 'current'),
    run: chatCompletions,
  },
  { method: 'GET', path: /^\/v1\/models$/u, envelope: current, run: listModels },
  { method: 'POST', path: /^\/v1\/(?:messages|responses)$/u, envelope: current, run: otherChat },
  { method: 'POST', path: /^\/v1\/transcription_or_translation$/u, envelope: current, run: transcription },
  { method: 'POST', path: /^\/v1\/(?:images|videos)\/(?:upload|search)$/u, envelope: vision, run: library },
  { method: 'POST', path: /^\/v1\/clips$/u, envelope: vision, run: library },
  { method: 'GET', path: /^\/v1\/videos\/([^/]+)$/u, envelope: vision, run: getVideo },
  { method: 'GET', path: /^\/files\/([^/]+)\.(mp4|png)$/u, envelope: vision, run: getFile },
  {
    method: 'POST',
    path: /^\/v2\/inference\/([^/]+)\/(image-to-video|text-to-image|edit|text-to-video)$/u,
    envelope: vision,
    run: submitVideo,
  },
  { method: 'POST', path: /^\/v2\/inference\/chat\/completions$/u, envelope: current, run: inferenceChat },
  { method: 'GET', path: /^\/v2\/inference\/models$/u, envelope: vision, run: listMediaModels },
  { method: 'GET', path: /^\/v2\/inference\/requests$/u, envelope: vision, run: listJobs },
  { method: 'GET', path: /^\/v2\/inference\/requests\/([^/]+)$/u, envelope: vision, run: getResult },
  { method: 'GET', path: /^\/v2\/inference\/requests\/([^/]+)\/status$/u, envelope: vision, run: getStatus },
  { method: 'POST', path: /^\/v2\/inference\/requests\/([^/]+)\/cancel$/u, envelope: vision, run: cancelJob },
];

export type Handled = { readonly answer: SimAnswer; readonly entry: Entry };

/** The service without a network: returns the response to a request, without waiting. */
export type UpstreamCore = {
  readonly state: State;
  handle(request: SimRequest): Handled;
  /** A chat completion request with the key `key` (default: the first). */
  chat(body: JsonObject, key?: string): Handled;
};

export function createUpstreamCore(options: CoreOptions = {}): UpstreamCore {
  const state = createState(options);
  const handle = (request: SimRequest): Handled => answerTo(state, request);
  return {
    state,
    handle,
    chat(body, key) {
      const bearer = key ?? [...state.keys.keys()][0] ?? '';
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
      return handle({ method: 'POST', path: '/v1/chat/completions', headers, body: JSON.stringify(body) });
    },
  };
}

/** Longer bodies are truncated in the journal, since recordings would fill the memory. */
const KEPT_BODY = 1_000_000;

function answerTo(state: State, request: SimRequest): Handled {
  const [path = '/', ...rest] = request.path.split('?');
  const query = new URLSearchParams(rest.join('?'));
  const text = request.body === undefined ? '' : String(request.body);
  const parsed = parseJson(text)?.value;
  const faults = state.rules.strike(path, text, questionOf(parsed));
  const entry = state.journal.add({
    at: state.now(),
    method: request.method,
    path: request.path,
    headers: request.headers,
    body: text.length > KEPT_BODY ? `${text.slice(0, 1000)}… (${text.length} characters)` : (parsed ?? text),
    status: undefined,
    code: undefined,
    faults: faults.map(({ kind }) => kind),
    ended: 'open',
  });
  const id = state.id('req_', 20);
  const answer =
    faulty(faults) ?? delayed(routed(state, request, { path, query, faults, id, entry }), faults);
  entry.status = answer.head ? answer.status : undefined;
  const headers = { ...withoutLimits(answer.headers, state.settings.limitHeaders), 'x-request-id': id };
  return { answer: { ...answer, headers }, entry };
}

/** The headers of a response, with the configured amount of limit headers. */
function withoutLimits(headers: SimAnswer['headers'], sent: LimitHeaders): SimAnswer['headers'] {
  if (sent === 'all') return headers;
  const left = Object.entries(headers).filter(
    ([name]) => !name.startsWith('x-ratelimit-') && (sent === 'retry-after' || name !== 'retry-after'),
  );
  return Object.fromEntries(left);
}

function routed(
  state: State,
  request: SimRequest,
  facts: Pick<Call, 'path' | 'query' | 'faults' | 'id' | 'entry'>,
): SimAnswer {
  const here = ROUTES.filter(({ path }) => path.test(facts.path));
  const route = here.find(({ method }) => method === request.method);
  const headers: Record<string, string> = {};
  const envelope = route?.envelope(request) ?? 'current';
  try {
    if (route === undefined) throw unknownRoute(request, facts.path, here);
    const params = (route.path.exec(facts.path) ?? []).slice(1).map(decode);
    const answer = route.run(state, { ...facts, request, params, headers });
    return { ...answer, headers: { ...headers, ...answer.headers } };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { refusal } = error;
    facts.entry.code = refusal.code ?? undefined;
    const body = errorBody(refusal, envelope, facts.id);
    return jsonAnswer(refusal.status, body, { ...headers, ...refusal.headers });
  }
}

function unknownRoute(request: SimRequest, path: string, here: readonly Route[]): RefusedError {
  const allow = here.map(({ method }) => method).join(', ');
  if (allow === '')
    return new RefusedError({ status: 404, message: `There is nothing at ${path.slice(0, 200)}.` });
  const message = `${request.method.slice(0, 20)} is not allowed here.`;
  return new RefusedError({ status: 405, message, headers: { allow } });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Faults that occur before the service parses the request. */
function faulty(faults: readonly Fault[]): SimAnswer | undefined {
  const none = { status: 0, headers: {}, delayMs: 0, head: false } as const;
  for (const { kind } of faults) {
    if (kind === 'refuse') return { ...none, steps: [{ kind: 'cut' }] };
    if (kind === 'hang') return { ...none, steps: [{ kind: 'silence' }] };
  }
  return undefined;
}

/** Faults of any response: a late head, and a broken body of responses without streaming. */
function delayed(answer: SimAnswer, faults: readonly Fault[]): SimAnswer {
  const late = faults.find((fault) => fault.kind === 'late');
  const broken = answer.chunks === undefined && answer.status < 400 ? brokenBody(answer, faults) : answer;
  return { ...broken, delayMs: late?.ms ?? 0 };
}

function brokenBody(answer: SimAnswer, faults: readonly Fault[]): SimAnswer {
  const [first] = answer.steps;
  if (first?.kind !== 'bytes') return answer;
  const half: SimAnswer['steps'] = [
    { kind: 'bytes', bytes: first.bytes.subarray(0, first.bytes.length / 2) },
  ];
  const { 'content-length': _length, ...unsized } = answer.headers;
  for (const { kind } of faults) {
    if (kind === 'cut') return { ...answer, steps: [...half, { kind: 'cut' }] };
    if (kind === 'silence') return { ...answer, steps: [...half, { kind: 'silence' }] };
    if (kind === 'eof' || kind === 'malformed') return { ...answer, headers: unsized, steps: half };
  }
  return answer;
}

/** The text of the last user message, wherever a body contains it. */
function questionOf(body: unknown): string {
  if (!isObject(body)) return '';
  const messages = isList(body['messages']) ? body['messages'] : [];
  const last = messages.filter(isObject).findLast((message) => message['role'] === 'user');
  const content = last?.['content'];
  if (isText(content)) return content;
  const parts = isList(content) ? content : [];
  const texts = parts.flatMap((part) => (isObject(part) && isText(part['text']) ? [part['text']] : []));
  const input = isObject(body['input']) ? body['input']['prompt'] : undefined;
  return isText(input) ? input : texts.join('\n');
}
