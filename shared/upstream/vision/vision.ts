import type { CallOptions, RequestWindows } from '../config.ts';
import { BadRequestError, RateLimitedError } from '../errors.ts';
import { requestJson, type JsonResponse, type JsonRequest } from '../http/request-json.ts';
import type { Client } from '../http/client.ts';
import { getEndpointUrl } from '../http/endpoint-url.ts';
import { isObject, type JsonObject, asArray, asObject, asNonEmptyString } from '../http/json.ts';
import {
  parseJobHandle,
  type JobHandle,
  type JobStatus,
  parseJobStatus,
  requireTrustedUrl,
} from './job-handle.ts';
import { type Video, parseVideo } from './video.ts';
import { DEFAULT_OPERATION, submitPath, visionPath } from './paths.ts';
import { parseVisionModels, type VisionModel } from './vision-models.ts';
import { type VisionEndpoint, getWindow } from './request-windows.ts';

const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** From the interface's documentation. */
const MAX_WEBHOOK_CHARS = 2083;

export type SubmitRequest = {
  /** The path segment of the model. */
  readonly model: string;
  /** What to make: `image-to-video` (default), or another operation of the same family. */
  readonly operation?: string | undefined;
  /** Sent unchanged: `prompt`, and the image under the field name that the model expects. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The service posts to it when the job is over. At most 2083 characters. */
  readonly webhookUrl?: string | undefined;
  /** The same for every attempt of one logical request; see `createIdempotencyKey`. Without it, a cut response is not retried. */
  readonly idempotencyKey?: string | undefined;
};

/** A job in the list of the key's jobs. */
export type ListedJob = JobStatus & { readonly requestId: string };

/** A job's status with the service's response in `value`. */
export type JobResult = JobStatus & { readonly value: unknown };

/** The payload of endpoints without documented payloads: JSON, or bytes with their type. */
export type Payload =
  | { readonly json: JsonObject }
  | { readonly bytes: Uint8Array; readonly contentType: string };

export type Vision = {
  /** Submits a job, such as a video from an image. */
  readonly submit: (request: SubmitRequest, options?: CallOptions) => Promise<JobHandle>;
  readonly status: (handle: JobHandle, options?: CallOptions) => Promise<JobStatus>;
  readonly result: (handle: JobHandle, options?: CallOptions) => Promise<JobResult>;
  readonly cancel: (handle: JobHandle, options?: CallOptions) => Promise<JobStatus>;
  /** Lists the key's jobs. */
  readonly list: (options?: CallOptions) => Promise<readonly ListedJob[]>;
  /** Lists the models that are available to the key. */
  readonly models: (options?: CallOptions) => Promise<readonly VisionModel[]>;
  readonly video: (videoId: string, options?: CallOptions) => Promise<Video>;
  /** Uploads, searches and clips. Rejects with RateLimitedError (`window_full`) before sending when a window is full. */
  readonly call: (
    name: VisionEndpoint,
    payload: Payload,
    /** `windows` replaces the configured windows, for a request with another key. */
    options?: CallOptions & { readonly windows?: RequestWindows | undefined },
  ) => Promise<unknown>;
};

type VisionConfig = {
  readonly windows: RequestWindows;
  readonly jobOrigins?: readonly string[] | undefined;
  readonly paths?: Readonly<Record<string, string>> | undefined;
};

/** Methods reject with BadRequestError (`no_vision_url`) without a configured URL. */
export function createVision(client: Client, { windows, jobOrigins = [], paths = {} }: VisionConfig): Vision {
  const getUrl = (path: string): URL => getEndpointUrl(requireVisionUrl(client), path);
  const origins = (): ReadonlySet<string> =>
    new Set([requireVisionUrl(client).origin, ...jobOrigins.map((origin) => new URL(origin).origin)]);
  const defaults = {
    service: 'vision',
    credential: 'x-api-key',
    timeoutMs: client.timeouts.call,
    maxBytes: MAX_RESPONSE_BYTES,
    repeatable: true,
  } as const;
  const send = (
    call: Pick<JsonRequest, 'method' | 'url'> & Partial<JsonRequest>,
    options: CallOptions,
  ): Promise<JsonResponse> => requestJson(client, { ...defaults, ...call }, options);
  /** Requests a link of a job's handle. */
  const follow = (method: 'GET' | 'POST', link: string, options: CallOptions): Promise<JsonResponse> =>
    send({ method, url: requireTrustedUrl(link, origins()) }, options);

  return {
    submit: async (request, options = {}) => {
      const url = getUrl(submitPath(paths, request.operation ?? DEFAULT_OPERATION, request.model));
      const { value, requestId } = await send(
        { method: 'POST', url, isError: isErrorBody, ...buildSubmission(request) },
        options,
      );
      return parseJobHandle(value, origins(), requestId);
    },
    status: async ({ statusUrl }, options = {}) =>
      parseJobStatus((await follow('GET', statusUrl, options)).value),
    result: async ({ responseUrl }, options = {}) =>
      parseJobResult((await follow('GET', responseUrl, options)).value),
    cancel: async ({ cancelUrl }, options = {}) =>
      parseJobStatus((await follow('POST', cancelUrl, options)).value),
    list: async (options = {}) =>
      parseJobs((await send({ method: 'GET', url: getUrl(visionPath(paths, 'requests')) }, options)).value),
    models: async (options = {}) =>
      parseVisionModels(
        (await send({ method: 'GET', url: getUrl(visionPath(paths, 'models')) }, options)).value,
      ),
    video: async (videoId, options = {}) => {
      const url = getUrl(`/v1/videos/${encodeURIComponent(videoId)}`);
      const { value, requestId } = await send({ method: 'GET', url, credential: 'both' }, options);
      return parseVideo(value, requestId);
    },
    call: async (name, payload, options = {}) => {
      const call = {
        method: 'POST',
        url: getUrl(visionPath(paths, name)),
        credential: 'both',
        repeatable: false,
      } as const;
      const beforeSend = (): Promise<void> => takeFromWindow(options.windows ?? windows, name);
      return (await send({ ...call, ...buildBody(payload), beforeSend }, options)).value;
    },
  };
}

function requireVisionUrl({ visionUrl }: Client): URL {
  if (visionUrl !== undefined) return visionUrl;
  throw new BadRequestError('No URL of the vision service is configured.', { code: 'no_vision_url' });
}

/** A result without a status means that the job is done. */
function parseJobResult(value: unknown): JobResult {
  const status = parseJobStatus(value);
  const hasNoStatus = status.status === '' && status.error === undefined;
  return { ...status, state: hasNoStatus ? 'done' : status.state, value };
}

/** Finds the jobs in a bare array or under a common field name. Skips items without an id. */
function parseJobs(value: unknown): ListedJob[] {
  const { requests, data, items } = asObject(value) ?? {};
  return asArray(Array.isArray(value) ? value : (requests ?? data ?? items)).flatMap((item) => {
    const requestId = isObject(item) ? asNonEmptyString(item['request_id'] ?? item['id']) : undefined;
    return requestId === undefined ? [] : [{ ...parseJobStatus(item), requestId }];
  });
}

/** Some servers report an error with a status of success. */
const isErrorBody = ({ request_id: id, error }: JsonObject): boolean =>
  id === undefined && error !== undefined && error !== null;

/** With an idempotency key, a cut response can be retried safely. */
function buildSubmission(request: SubmitRequest): Pick<JsonRequest, 'body' | 'headers' | 'repeatable'> {
  const { input, webhookUrl, idempotencyKey } = request;
  if (webhookUrl !== undefined && (webhookUrl.length > MAX_WEBHOOK_CHARS || !URL.canParse(webhookUrl))) {
    throw new BadRequestError(`The callback URL is invalid or longer than ${MAX_WEBHOOK_CHARS} characters.`, {
      code: 'bad_webhook_url',
      param: 'webhook_url',
    });
  }
  return {
    body: JSON.stringify(webhookUrl === undefined ? { input } : { input, webhook_url: webhookUrl }),
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    repeatable: idempotencyKey !== undefined,
  };
}

function buildBody(payload: Payload): Pick<JsonRequest, 'body' | 'headers'> {
  if ('json' in payload) return { body: JSON.stringify(payload.json) };
  return { body: payload.bytes, headers: { 'content-type': payload.contentType } };
}

async function takeFromWindow(windows: RequestWindows, name: VisionEndpoint): Promise<void> {
  const permit = await windows.take(name, getWindow(name));
  if (permit.granted) return;
  throw new RateLimitedError(`No more ${name} requests today.`, {
    code: 'window_full',
    retryAfterMs: permit.retryAfterMs,
  });
}
