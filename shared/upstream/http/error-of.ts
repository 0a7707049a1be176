import {
  AtCapacityError,
  AuthError,
  BadRequestError,
  type ErrorFacts,
  MalformedAnswerError,
  NotFoundError,
  QuotaError,
  RateLimitedError,
  ServerError,
  TooLargeError,
  UnknownModelError,
  type UpstreamError,
} from '../errors.ts';
import { type Envelope, envelopeOf, envelopeOfJson } from './envelope.ts';
import { type Headers, requestIdOf } from './headers.ts';
import type { JsonObject } from './json.ts';
import { retryAfter } from './rate-headers.ts';

/** Error bodies quote what was sent; a sentence of them is enough. */
const MAX_MESSAGE = 500;
/** What servers say of a path that they do not serve. */
const WRONG_PATH =
  /\b(?:url|uri|path|route|page|endpoint|resource|cannot post|nothing (?:is )?at)\b|^not found\.?$/iu;
const QUOTA = /quota|credit|billing|insufficient[_ ]funds|payment/iu;

export type Refusal = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Taken out of the message, should the server have quoted it. */
  readonly key: string;
  readonly now: number;
  /** Whether a 404 may mean the model (chat), or only the thing asked for. */
  readonly chat: boolean;
};

/** The error for an answer whose status is not 2xx. It branches on status and code alone; `type` is not specified. */
export function errorOf(refusal: Refusal): UpstreamError {
  const { status, headers } = refusal;
  const envelope = without(envelopeOf(refusal.body), refusal.key);
  const facts: ErrorFacts = {
    status,
    code: envelope.code,
    param: envelope.param,
    requestId: requestIdOf(headers) ?? envelope.id,
    retryAfterMs: retryAfter(headers, refusal.now),
  };
  const message = `The upstream answered ${status}${said(envelope)}`;
  return leaf(status, envelope, facts, refusal.chat, message);
}

/** The error for `{error: …}` within a stream. It has no status of its own; some servers put one into `code`. */
export function errorOfEvent(event: JsonObject, key: string, requestId: string | undefined): UpstreamError {
  const envelope = without(envelopeOfJson(event), key);
  const status = /^[45]\d\d$/u.test(envelope.code ?? '')
    ? Number(envelope.code)
    : statusOfCode(envelope.code);
  const facts: ErrorFacts = {
    code: envelope.code,
    param: envelope.param,
    requestId: requestId ?? envelope.id,
  };
  return leaf(status, envelope, facts, true, `The upstream broke the answer off${said(envelope)}`);
}

function statusOfCode(code: string | undefined): number {
  return code === 'rate_limit_exceeded' || code === 'model_at_capacity' || code === 'insufficient_quota'
    ? 429
    : 500;
}

function leaf(
  status: number,
  envelope: Envelope,
  facts: ErrorFacts,
  chat: boolean,
  message: string,
): UpstreamError {
  // Some servers are full with a 503 or 529, and say so in the same words.
  if (status === 429 || envelope.code === 'model_at_capacity') return limited(envelope, facts, message);
  if (status === 401 || status === 403) return new AuthError(message, facts);
  if (status === 402) return new QuotaError(message, facts);
  if (status === 404)
    return chat && !isWrongPath(envelope)
      ? new UnknownModelError(message, facts)
      : new NotFoundError(message, facts);
  if (status === 413) return new TooLargeError(message, facts);
  if (status === 408 || status === 409 || status >= 500) return new ServerError(message, facts);
  if (status < 400) return new MalformedAnswerError(message, { ...facts, code: facts.code ?? 'redirect' });
  return new BadRequestError(message, facts);
}

/** A 404 of a chat call means the model, unless the server says nothing, or speaks of the path: then the address is wrong. */
function isWrongPath({ message = '', code, param, json }: Envelope): boolean {
  if (code === 'model_not_found' || param === 'model') return false;
  if (!json) return true;
  return WRONG_PATH.test(message) && !/\bmodels?\b/iu.test(message);
}

/** A 429 for want of money has no `Retry-After`, or says so in its code. */
function limited(envelope: Envelope, facts: ErrorFacts, message: string): UpstreamError {
  if (envelope.code === 'model_at_capacity') return new AtCapacityError(message, facts);
  if (envelope.code === 'insufficient_quota') return new QuotaError(message, facts);
  const waitable = facts.retryAfterMs !== undefined || envelope.code === 'rate_limit_exceeded';
  const words = `${envelope.code ?? ''} ${envelope.type ?? ''} ${envelope.message ?? ''}`;
  return !waitable && QUOTA.test(words)
    ? new QuotaError(message, facts)
    : new RateLimitedError(message, facts);
}

function said({ message, code }: Envelope): string {
  const tag = code === undefined ? '' : ` (${code})`;
  return message === undefined || message === '' ? `${tag}.` : `${tag}: ${message}`;
}

/** The envelope, fit for a log: a server may quote the key that it was sent. */
function without(envelope: Envelope, key: string): Envelope {
  const word = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : clean(text, key);
  const { message, code, type, param, id, json } = envelope;
  return {
    message: word(message),
    code: word(code),
    type: word(type),
    param: word(param),
    id: word(id),
    json,
  };
}

/** A server's words without the key, without control characters, and not long. */
export function clean(text: string, key: string): string {
  const safe = key === '' ? text : text.replaceAll(key, '[key]');
  const line = safe.replace(/\p{Cc}+/gu, ' ').trim();
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line;
}
