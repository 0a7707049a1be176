import type { CallOptions, Windows } from '../config.ts';
import { BadRequestError, RateLimitedError } from '../errors.ts';
import { callJson, type JsonAnswer, type JsonCall } from '../http/call.ts';
import { type Client, endpoint } from '../http/client.ts';
import { isObject, type JsonObject, listOf, objectOf } from '../http/json.ts';
import { handleOf, type JobHandle, type JobStatus, statusOf, trusted } from './handle.ts';
import { type Video, videoOf } from './video.ts';
import { type VisionEndpoint, windowOf } from './windows.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** As the interface has it. */
const MAX_WEBHOOK_CHARS = 2083;

export type SubmitRequest = {
  /** The path segment that names the video model. */
  readonly model: string;
  /** Passed on as it is: `prompt`, and the picture under the name that the model wants. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Called when the job is over; at most 2083 characters. */
  readonly webhookUrl?: string | undefined;
  /** The same for every try of one logical request; see `idempotencyKey`. Without it, no answer that broke off is asked for again. */
  readonly idempotencyKey?: string | undefined;
};

/** A job's result: what the service gave, as it gave it. */
export type JobResult = JobStatus & { readonly value: unknown };

/** What goes to the endpoints whose payload is not documented: JSON, or bytes with their type. */
export type Payload =
  | { readonly json: JsonObject }
  | { readonly bytes: Uint8Array; readonly contentType: string };

export type Vision = {
  /** Asks for a video of a picture. */
  readonly submit: (request: SubmitRequest, options?: CallOptions) => Promise<JobHandle>;
  readonly status: (handle: JobHandle, options?: CallOptions) => Promise<JobStatus>;
  readonly result: (handle: JobHandle, options?: CallOptions) => Promise<JobResult>;
  readonly cancel: (handle: JobHandle, options?: CallOptions) => Promise<JobStatus>;
  /** The jobs of the key, as the service lists them. */
  readonly list: (options?: CallOptions) => Promise<readonly JsonObject[]>;
  readonly video: (videoId: string, options?: CallOptions) => Promise<Video>;
  /** Uploads, searches and clips. A window that is full rejects with RateLimitedError (`window_full`), unsent. */
  readonly call: (name: VisionEndpoint, payload: Payload, options?: CallOptions) => Promise<unknown>;
};

/** Calls reject with BadRequestError (`no_vision_url`) when no address was configured. */
export function createVision(client: Client, windows: Windows, jobOrigins: readonly string[]): Vision {
  const at = (path: string): URL => endpoint(baseOf(client), path);
  const origins = (): ReadonlySet<string> =>
    new Set([baseOf(client).origin, ...jobOrigins.map((origin) => new URL(origin).origin)]);
  const common = {
    credential: 'x-api-key',
    timeoutMs: client.timeouts.call,
    maxBytes: MAX_BYTES,
    repeatable: true,
  } as const;
  const send = (
    call: Pick<JsonCall, 'method' | 'url'> & Partial<JsonCall>,
    options: CallOptions,
  ): Promise<JsonAnswer> => callJson(client, { ...common, ...call }, options);
  /** Follows a link of a job's handle. */
  const follow = (method: 'GET' | 'POST', link: string, options: CallOptions): Promise<JsonAnswer> =>
    send({ method, url: trusted(link, origins()) }, options);

  return {
    submit: async (request, options = {}) => {
      const url = at(`/v2/inference/${encodeURIComponent(request.model)}/image-to-video`);
      const { value, requestId } = await send({ method: 'POST', url, ...submission(request) }, options);
      return handleOf(value, origins(), requestId);
    },
    status: async ({ statusUrl }, options = {}) => statusOf((await follow('GET', statusUrl, options)).value),
    result: async ({ responseUrl }, options = {}) =>
      resultOf((await follow('GET', responseUrl, options)).value),
    cancel: async ({ cancelUrl }, options = {}) => statusOf((await follow('POST', cancelUrl, options)).value),
    list: async (options = {}) =>
      jobsOf((await send({ method: 'GET', url: at('/v2/inference/requests') }, options)).value),
    video: async (videoId, options = {}) => {
      const url = at(`/v1/videos/${encodeURIComponent(videoId)}`);
      const { value, requestId } = await send({ method: 'GET', url, credential: 'both' }, options);
      return videoOf(value, requestId);
    },
    call: async (name, payload, options = {}) => {
      const call = { method: 'POST', url: at(`/v1/${name}`), credential: 'both', repeatable: false } as const;
      const beforeSend = (): Promise<void> => takeWindow(windows, name);
      return (await send({ ...call, ...bodyOf(payload), beforeSend }, options)).value;
    },
  };
}

function baseOf({ visionUrl }: Client): URL {
  if (visionUrl !== undefined) return visionUrl;
  throw new BadRequestError('No address of the vision service is configured.', { code: 'no_vision_url' });
}

/** A bare result has no status: to have it is to be done. */
function resultOf(value: unknown): JobResult {
  const status = statusOf(value);
  const bare = status.status === '' && status.error === undefined;
  return { ...status, state: bare ? 'done' : status.state, value };
}

/** A list of jobs, bare or under the usual names. */
function jobsOf(value: unknown): JsonObject[] {
  const { requests, data, items } = objectOf(value) ?? {};
  return listOf(Array.isArray(value) ? value : (requests ?? data ?? items)).flatMap((item) =>
    isObject(item) ? [item] : [],
  );
}

/** A key may be reused without harm, so with one even an answer that broke off is asked for again. */
function submission(request: SubmitRequest): Pick<JsonCall, 'body' | 'headers' | 'repeatable'> {
  const { input, webhookUrl, idempotencyKey } = request;
  if (webhookUrl !== undefined && (webhookUrl.length > MAX_WEBHOOK_CHARS || !URL.canParse(webhookUrl))) {
    throw new BadRequestError(
      `The callback address is none, or longer than ${MAX_WEBHOOK_CHARS} characters.`,
      {
        code: 'bad_webhook_url',
        param: 'webhook_url',
      },
    );
  }
  return {
    body: JSON.stringify(webhookUrl === undefined ? { input } : { input, webhook_url: webhookUrl }),
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    repeatable: idempotencyKey !== undefined,
  };
}

function bodyOf(payload: Payload): Pick<JsonCall, 'body' | 'headers'> {
  if ('json' in payload) return { body: JSON.stringify(payload.json) };
  return { body: payload.bytes, headers: { 'content-type': payload.contentType } };
}

async function takeWindow(windows: Windows, name: VisionEndpoint): Promise<void> {
  const place = await windows.take(name, windowOf(name));
  if (place.granted) return;
  throw new RateLimitedError(`No more ${name} requests today.`, {
    code: 'window_full',
    retryAfterMs: place.retryAfterMs,
  });
}
