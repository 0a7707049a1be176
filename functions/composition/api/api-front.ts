import * as v from 'valibot';
import type { Integration, IntegrationPlace } from '../../../shared/domain/index.ts';
import {
  acceptAsk,
  type AcceptAskContext,
  AnswerEvents,
  ApiError,
  followAnswer,
  type FollowContext,
  formatEvent,
  isOver,
  isRequestId,
  parseIntegrationKey,
  parseAskBody,
  rateLimited,
  type TakeRead,
  toAnswerObject,
} from '../../../shared/integrations/index.ts';
import { type Log, parseRequest } from '../../../shared/runtime/index.ts';
import type { ApiRequest, Integrations } from '../../../shared/storage/index.ts';
import { getErrorFacts } from '../../../shared/utils/index.ts';
import type { StreamedResponse } from './stream-response.ts';

export type ApiFrontDeps = AcceptAskContext &
  FollowContext & {
    readonly integrations: Pick<Integrations, 'authenticate'>;
    readonly requests: AcceptAskContext['requests'] & FollowContext['requests'];
    readonly takeRead: TakeRead;
    readonly log: Log;
  };

type Caller = { readonly place: IntegrationPlace; readonly integration: Integration };
type Request = NonNullable<ReturnType<typeof parseRequest>>;

const IDEMPOTENCY_KEY = 'idempotency-key';
const MAX_BODY_BYTES = 256 * 1_024;
/** A stream ends by then, before the function does; the integration reads on with `GET`. */
const MAX_STREAM_MS = 600_000;
/** Proxies close a connection without any bytes after about a minute. */
const PING_MS = 15_000;

const targetSchema = v.object({
  rawPath: v.string(),
  rawQueryString: v.optional(v.string(), ''),
  headers: v.optional(v.record(v.string(), v.unknown()), {}),
  requestContext: v.object({ http: v.object({ method: v.string() }) }),
});

/** Handles a request to the API. Never rejects; the body of a stream that breaks off ends. */
export function createApiFront(deps: ApiFrontDeps): (event: unknown) => Promise<StreamedResponse> {
  return async (event) => {
    try {
      return await respond(event, deps);
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error);
      deps.log('api.failed', getErrorFacts(error));
      return errorResponse(new ApiError('unavailable', { retryAfter: 5 }));
    }
  };
}

/** Authenticates before it reads the body, and writes nothing before that. */
async function respond(event: unknown, deps: ApiFrontDeps): Promise<StreamedResponse> {
  const target = v.safeParse(targetSchema, event);
  const request = parseRequest(event);
  if (!target.success) throw new ApiError('not_found');
  if (!request || request.body.length > MAX_BODY_BYTES) throw new ApiError('body_too_large');
  const caller = await authenticate(request, deps);
  const { rawPath, rawQueryString, requestContext } = target.output;
  const { method } = requestContext.http;
  const address = /^\/v1\/ask(?:\/([^/]+))?$/u.exec(rawPath);
  if (!address) throw new ApiError('not_found', { message: 'There is no such address.' });
  const [, id] = address;
  if (method === 'POST' && id === undefined) {
    const hasKey = Object.keys(target.output.headers).some((name) => name.toLowerCase() === IDEMPOTENCY_KEY);
    return ask(request, caller, hasKey, deps);
  }
  if (method !== 'GET' || id === undefined)
    throw new ApiError('method_not_allowed', { allow: id === undefined ? 'POST' : 'GET' });
  return readOn(id, new URLSearchParams(rawQueryString).get('stream') === 'true', caller, deps);
}

async function authenticate({ header }: Request, { integrations }: ApiFrontDeps): Promise<Caller> {
  const [, token = ''] = /^Bearer ([\x21-\x7e]{1,200})$/iu.exec(header('authorization') ?? '') ?? [];
  const key = parseIntegrationKey(token);
  const integration = key && (await integrations.authenticate(key.place, key.id, key.key));
  if (!key || !integration) throw new ApiError('invalid_api_key');
  return { place: key.place, integration };
}

async function ask(
  request: Request,
  caller: Caller,
  hasKey: boolean,
  deps: ApiFrontDeps,
): Promise<StreamedResponse> {
  const { header, body: bytes } = request;
  if (!/^application\/json(?:\s*;.*)?$/iu.test(header('content-type') ?? ''))
    throw new ApiError('unsupported_media_type');
  const body = parseAskBody(bytes);
  const idempotencyKey = header(IDEMPOTENCY_KEY);
  // Sent twice, or with a comma, which cannot be told apart. Without it, the question could be asked twice.
  if (hasKey && idempotencyKey === undefined)
    throw new ApiError('invalid_request', { message: 'Send one Idempotency-Key, without a comma.' });
  const accepted = await acceptAsk(caller, body, idempotencyKey, deps);
  if (body.stream) return stream(caller.place, accepted, deps);
  return wait(caller.place, accepted, body.wait * 1_000, deps);
}

async function readOn(
  id: string,
  isStream: boolean,
  { place, integration }: Caller,
  deps: ApiFrontDeps,
): Promise<StreamedResponse> {
  const waitMs = deps.takeRead(place, integration.id);
  if (waitMs !== undefined) throw rateLimited(waitMs);
  const request = isRequestId(id) ? await deps.requests.find(place, integration.id, id) : undefined;
  if (!request) throw new ApiError('not_found');
  return isStream ? stream(place, request, deps) : wait(place, request, 0, deps);
}

/** Responds when the answer has ended, or after the given time (ms) with what there is. */
async function wait(
  place: IntegrationPlace,
  request: ApiRequest,
  waitMs: number,
  deps: ApiFrontDeps,
): Promise<StreamedResponse> {
  let last;
  for await (const state of followAnswer(place, request, deps.time.now() + waitMs, deps)) last = state;
  if (!last) throw new ApiError('not_found');
  const answer = toAnswerObject(last);
  if (isOver(last)) return json(200, answer);
  return json(202, answer, { location: `/v1/ask/${answer.id}`, 'retry-after': '2' });
}

function stream(place: IntegrationPlace, request: ApiRequest, deps: ApiFrontDeps): StreamedResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': request.id,
    },
    body: events(place, request, deps),
  };
}

async function* events(
  place: IntegrationPlace,
  request: ApiRequest,
  deps: ApiFrontDeps,
): AsyncGenerator<string> {
  const { time, log } = deps;
  const answerEvents = new AnswerEvents();
  let sentMs = time.now();
  let last = toAnswerObject({ request, answer: undefined });
  try {
    for await (const state of followAnswer(place, request, sentMs + MAX_STREAM_MS, deps)) {
      // Erased meanwhile: the stream says so.
      last = toAnswerObject(state ?? { request, answer: { kind: 'gone' } });
      const text = answerEvents.next(last).map(formatEvent).join('');
      const isPing = text === '' && time.now() - sentMs >= PING_MS;
      if (text === '' && !isPing) continue;
      sentMs = time.now();
      yield isPing ? ': waiting\n\n' : text;
    }
  } catch (error) {
    // The answer is being made all the same.
    log('api.stream-failed', getErrorFacts(error));
  }
  if (last.status === 'completed' || last.status === 'failed') return;
  // The first event names the request, also where nothing could be read of it.
  yield [...answerEvents.next(last), { name: 'answer.pending' as const, data: last }]
    .map(formatEvent)
    .join('');
}

async function* textBody(text: string): AsyncGenerator<string> {
  yield text;
}

const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): StreamedResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: textBody(`${JSON.stringify(body)}\n`),
});

const errorResponse = (error: ApiError): StreamedResponse =>
  json(error.status, error, {
    ...(error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
    ...(error.allow === undefined ? {} : { allow: error.allow }),
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer realm="parley"' } : {}),
  });
