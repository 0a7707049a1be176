import { jsonAnswer } from '../exchange.ts';
import type { SimAnswer } from '../exchange.ts';
import { isObject, isText, parseJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { authenticate } from '../keys.ts';
import type { Key } from '../keys.ts';
import { badRequest, RefusedError } from '../error-responses.ts';
import { setError } from '../limit-responses.ts';
import type { Call, State } from '../state.ts';
import { cancel, handleOf, resultBody, statusBody, submit } from './jobs.ts';
import type { Job } from './types.ts';
import { expect as expectDelivery, hasten } from './webhooks.ts';

const KEY_LIFE_MS = 24 * 60 * 60 * 1000;

/** `POST /v2/inference/{model}/{operation}`. */
export function submitVideo(state: State, call: Call): SimAnswer {
  const key = authenticate(call.request, 'either', state.keys);
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  const [model = '', operation = ''] = call.params;
  const mediaModel = state.mediaModels.find((one) => one.id === model && one.operation === operation);
  if (mediaModel === undefined) throw new RefusedError({ status: 404, message: 'There is no such model.' });
  const text = String(call.request.body ?? '');
  const submission = readSubmit(text);
  const again = replay(state, call, key, text);
  if (again !== undefined) return jsonAnswer(202, again);
  const job = submit(state, {
    ...submission,
    user: key.user,
    model,
    operation: mediaModel.operation,
    origin: originOf(call),
  });
  const handle = handleOf(state, job);
  const name = call.request.headers['idempotency-key'];
  if (name !== undefined) state.submits.set(scope(key, name), { at: state.now(), handle, request: text });
  if (job.webhookUrl !== null) expectDelivery(state, job);
  return jsonAnswer(202, handle);
}

/** The first response to this idempotency key of this user, for 24 hours. */
function replay(state: State, call: Call, key: Key, text: string): JsonObject | undefined {
  const name = call.request.headers['idempotency-key'];
  const before = name === undefined ? undefined : state.submits.get(scope(key, name));
  if (before === undefined || state.now() - before.at >= KEY_LIFE_MS) return undefined;
  if (state.settings.idempotency === 'conflict' && before.request !== text) {
    throw new RefusedError({ status: 409, message: 'This idempotency key was used for another request.' });
  }
  return before.handle;
}

function scope({ user }: Key, name: string): string {
  return JSON.stringify([user, name]);
}

function readSubmit(text: string): { input: JsonObject; webhookUrl: string | null } {
  const body = parseJson(text)?.value;
  if (!isObject(body)) throw badRequest(null, 'The body must be a JSON object.');
  const input = body['input'];
  if (!isObject(input)) throw badRequest('input', 'input must be an object.');
  return { input, webhookUrl: readWebhook(body['webhook_url']) };
}

function readWebhook(url: unknown): string | null {
  if (url === undefined || url === null) return null;
  if (!isText(url) || !URL.canParse(url)) throw badRequest('webhook_url', 'webhook_url must be a URI.');
  if (url.length > 2083) throw badRequest('webhook_url', 'webhook_url has 1 to 2083 characters.');
  return url;
}

function originOf({ request }: Call): string {
  return `http://${request.headers['host'] ?? 'simulator.invalid'}`;
}

/** The caller's own job. Throws 404 for others. */
function ownJob(state: State, call: Call): Job {
  const key = authenticate(call.request, 'either', state.keys);
  const job = state.jobs.get(call.params[0] ?? '');
  if (job === undefined || job.user !== key.user) {
    throw new RefusedError({ status: 404, message: 'There is no such request.' });
  }
  return job;
}

export function getStatus(state: State, call: Call): SimAnswer {
  const job = ownJob(state, call);
  return setError(call) ?? jsonAnswer(200, statusBody(state, job));
}

export function getResult(state: State, call: Call): SimAnswer {
  const job = ownJob(state, call);
  return setError(call) ?? jsonAnswer(200, resultBody(state, job));
}

export function cancelJob(state: State, call: Call): SimAnswer {
  const job = ownJob(state, call);
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  cancel(job, state.now());
  hasten(state, job);
  return jsonAnswer(200, resultBody(state, job));
}

/** The caller's jobs, the newest first. */
export function listJobs(state: State, call: Call): SimAnswer {
  const key = authenticate(call.request, 'either', state.keys);
  const own = [...state.jobs.values()].filter(({ user }) => user === key.user).toReversed();
  return setError(call) ?? jsonAnswer(200, { requests: own.map((job) => statusBody(state, job)) });
}

export function listMediaModels(state: State, call: Call): SimAnswer {
  authenticate(call.request, 'either', state.keys);
  const models = state.mediaModels.map(({ id, operation: type, price }) => ({
    id,
    type,
    ...(price !== undefined && { pricing: { request: price } }),
  }));
  return setError(call) ?? jsonAnswer(200, { models });
}
