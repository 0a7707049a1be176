/** Which leaf of the tree an error is; a caller can `switch` on it and the compiler sees that none is forgotten. */
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

/** What is known of a failure. No field ever holds the API key. */
export type ErrorFacts = {
  /** The HTTP status, when there was an answer. */
  readonly status?: number | undefined;
  /** The server's own code, such as `context_length_exceeded`; or ours, such as `idle` or `no_finish_reason`. */
  readonly code?: string | undefined;
  /** The request field that the server names as the offender. */
  readonly param?: string | undefined;
  /** The request id header, or the `id` of the body: what a report to the operator of the server should carry. */
  readonly requestId?: string | undefined;
  /** How long the server asked to wait, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** The answer's text as far as it had come. */
  readonly partialText?: string | undefined;
  readonly cause?: unknown;
};

/** Any failure of a call, save the caller's own abort, which is thrown as the signal's reason. */
export abstract class UpstreamError extends Error {
  abstract readonly kind: UpstreamErrorKind;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Set by the stream that fails after some of the answer has come. */
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

/** 400, 422 and the like: the same request will fail again. */
export class BadRequestError extends UpstreamError {
  readonly kind = 'bad-request';
}

/** 401 or 403, after the key has been read anew once. */
export class AuthError extends UpstreamError {
  readonly kind = 'auth';
}

/** 404 of anything but a model; of a chat call, of the path: the address is wrong. */
export class NotFoundError extends UpstreamError {
  readonly kind = 'not-found';
}

/** 404 of a chat call: the model's id is not in the key's list. */
export class UnknownModelError extends UpstreamError {
  readonly kind = 'unknown-model';
}

/** 429 `rate_limit_exceeded`: the key's own limit, shared by all models, so another model does not help. */
export class RateLimitedError extends UpstreamError {
  readonly kind = 'rate-limited';
}

/** 429 `model_at_capacity`: this model is full; another may be free. */
export class AtCapacityError extends UpstreamError {
  readonly kind = 'at-capacity';
}

/** The account has no credit left: waiting does not help. */
export class QuotaError extends UpstreamError {
  readonly kind = 'quota';
}

/** 5xx, 408, 409, or an error that the server reported within a stream. */
export class ServerError extends UpstreamError {
  readonly kind = 'server';
}

/** No answer: refused, reset, unknown host, bad certificate. */
export class ConnectionError extends UpstreamError {
  readonly kind = 'connection';
}

/** One of the time limits ran out; `code` says which: `first_byte`, `first_token`, `idle`, `total`, `deadline`. */
export class TimedOutError extends UpstreamError {
  readonly kind = 'timeout';
}

/** The answer broke off before its end; `partialText` holds what had come. */
export class StreamCutError extends UpstreamError {
  readonly kind = 'cut';
}

/** An answer that is not what the interface promises: no JSON, no choice, a redirect. */
export class MalformedAnswerError extends UpstreamError {
  readonly kind = 'malformed';
}

/** The answer, or what was to be sent, is larger than the limit set for it. */
export class TooLargeError extends UpstreamError {
  readonly kind = 'too-large';
}
