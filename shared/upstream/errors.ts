/** Discriminates the error classes, so that the compiler checks a `switch` over them. */
export type UpstreamErrorKind =
  | 'bad-request'
  | 'auth'
  | 'not-found'
  | 'unknown-model'
  | 'rate-limited'
  | 'at-capacity'
  | 'quota'
  | 'server'
  | 'connection'
  | 'timeout'
  | 'cut'
  | 'malformed'
  | 'too-large';

/** Facts about a failure. No field ever holds the API key. */
export type ErrorFacts = {
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined;
  /**
   * The server's code, such as `context_length_exceeded`, or this client's, such as `idle`, `no_finish_reason`, or `html` for a 400
   * or 403 with a page of a firewall or proxy.
   */
  readonly code?: string | undefined;
  /** The invalid request field, as the server names it. */
  readonly param?: string | undefined;
  /** The request id header, or the `id` of the body. Quote it when reporting a problem to the server's operator. */
  readonly requestId?: string | undefined;
  /** The wait that the server requested, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** The answer's text received so far. */
  readonly partialText?: string | undefined;
  readonly cause?: unknown;
};

/** Any failure of a method, except the caller's own abort, which is thrown as the signal's reason. */
export abstract class UpstreamError extends Error {
  abstract readonly kind: UpstreamErrorKind;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Set when a stream fails after part of the answer has arrived. */
  partialText: string | undefined;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.status = facts.status;
    this.code = facts.code;
    this.param = facts.param;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.partialText = facts.partialText;
  }
}

/** 400, 422 and similar, and a 403 of a filter (`content_filter`): the same request will fail again. */
export class BadRequestError extends UpstreamError {
  readonly kind = 'bad-request';
}

/** 401, a 400 that says so (Gemini), or a 403 that means the key. After a 401 the key was read again once, and was the same or rejected too. */
export class AuthError extends UpstreamError {
  readonly kind = 'auth';
}

/** 404 for anything but a model. For a chat request: the path, so the base URL is wrong. */
export class NotFoundError extends UpstreamError {
  readonly kind = 'not-found';
}

/** 404, or a 400 that says so, of a chat request: the key's model list does not have the model. */
export class UnknownModelError extends UpstreamError {
  readonly kind = 'unknown-model';
}

/** 429 `rate_limit_exceeded`, as a status or inside a response: the key's own limit. All models share it, so another model does not help. */
export class RateLimitedError extends UpstreamError {
  readonly kind = 'rate-limited';
}

/** 429 `model_at_capacity`: this model has no capacity; another may have. */
export class AtCapacityError extends UpstreamError {
  readonly kind = 'at-capacity';
}

/** The account has no credit left. Waiting does not help. */
export class QuotaError extends UpstreamError {
  readonly kind = 'quota';
}

/** 5xx, 408, 409, or an error that the server reported inside a stream. */
export class ServerError extends UpstreamError {
  readonly kind = 'server';
}

/** No response: connection refused or reset, unknown host, invalid certificate. */
export class ConnectionError extends UpstreamError {
  readonly kind = 'connection';
}

/** A timeout expired; `code` says which: `first_byte`, `first_token`, `idle`, `total`, `deadline`. */
export class TimedOutError extends UpstreamError {
  readonly kind = 'timeout';
}

/** The answer ended before it was complete; `partialText` holds the text so far. */
export class StreamCutError extends UpstreamError {
  readonly kind = 'cut';
}

/** A response that violates the interface: not JSON, no choice, a redirect. */
export class MalformedAnswerError extends UpstreamError {
  readonly kind = 'malformed';
}

/** The response, or the data to send, exceeds its size limit. */
export class TooLargeError extends UpstreamError {
  readonly kind = 'too-large';
}
