/** Why a request was refused. Programs decide by the code: codes never change their meaning. */
const ERRORS = {
  invalid_api_key: [
    401,
    'The API key is missing, wrong or revoked. Send it as "Authorization: Bearer parley_…".',
  ],
  invalid_request: [400, 'The request is not valid.'],
  channel_not_allowed: [403, 'This integration may not ask in that channel. An administrator can allow it.'],
  not_found: [404, 'There is no such request, or it is older than a day.'],
  method_not_allowed: [405, 'Use POST /v1/ask or GET /v1/ask/{id}.'],
  body_too_large: [413, 'The body is larger than 256 KB.'],
  unsupported_media_type: [415, 'Send the body as application/json.'],
  idempotency_key_reused: [422, 'This idempotency key was used for another request within the last day.'],
  rate_limited: [429, 'Too many requests. Wait as long as the header Retry-After says.'],
  unavailable: [
    503,
    'The service is not available right now. Send the same request again, with the same idempotency key.',
  ],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

export type ApiErrorCode = keyof typeof ERRORS;

/** A request was refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  /** The HTTP status. */
  readonly status: number;
  /** The field of the body that is not valid. */
  readonly param: string | undefined;
  /** When to try again (s). */
  readonly retryAfter: number | undefined;
  /** The method that the address takes, with a 405 (RFC 9110, 15.5.6). */
  readonly allow: 'GET' | 'POST' | undefined;

  constructor(
    code: ApiErrorCode,
    {
      message = ERRORS[code][1],
      param,
      retryAfter,
      allow,
    }: {
      readonly message?: string | undefined;
      readonly param?: string | undefined;
      readonly retryAfter?: number | undefined;
      readonly allow?: 'GET' | 'POST' | undefined;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = ERRORS[code][0];
    this.param = param;
    this.retryAfter = retryAfter;
    this.allow = allow;
  }

  /** The body of the response. */
  toJSON(): object {
    const { code, message, param } = this;
    return { error: { code, message, ...(param === undefined ? {} : { param }) } };
  }
}

/** An integration sends or reads too often. `waitMs`: until the next one is taken. */
export const rateLimited = (waitMs: number): ApiError =>
  new ApiError('rate_limited', { retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)) });
