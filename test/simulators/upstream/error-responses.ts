export type Refusal = {
  readonly status: number;
  readonly message: string;
  readonly type?: string | undefined;
  readonly code?: string | null | undefined;
  readonly param?: string | null | undefined;
  /** Where a legacy request is wrong; its first entry is `body`. */
  readonly loc?: readonly (string | number)[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** Thrown for a request that gets an error response. */
export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'Refused';
    this.refusal = refusal;
  }
}

/** 400 that names the offending field. */
export function badRequest(param: string | null, message: string, code: string | null = null): RefusedError {
  return new RefusedError({ status: 400, message, param, code });
}

/** 422 of the legacy shape. */
export function invalid(
  loc: readonly (string | number)[],
  message: string,
  type = 'value_error',
): RefusedError {
  return new RefusedError({ status: 422, message, type, loc: ['body', ...loc] });
}

/** The usual `type` of a status: the document names the field, not its values. */
export function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'validation_error';
}

/** The documented error body of an endpoint. */
export type Envelope = 'current' | 'legacy' | 'vision';

/** The error body of an endpoint. A 5xx carries an `id` to report. */
export function errorBody(refusal: Refusal, envelope: Envelope, id: string): Record<string, unknown> {
  const { status, message } = refusal;
  const tail = status >= 500 ? { id } : {};
  if (envelope === 'legacy' && status === 422) {
    return { detail: [{ loc: refusal.loc ?? ['body'], msg: message, type: refusal.type ?? 'value_error' }] };
  }
  if (envelope === 'legacy') return { detail: [{ loc: [], msg: message, type: typeOf(status) }], ...tail };
  if (envelope === 'vision' && status === 429) {
    return { error: { code: refusal.code ?? 'rate_limit_exceeded', message } };
  }
  const error = {
    message,
    type: refusal.type ?? typeOf(status),
    code: refusal.code ?? null,
    param: refusal.param ?? null,
  };
  return { error, ...tail };
}
