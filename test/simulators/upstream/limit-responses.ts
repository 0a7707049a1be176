import { bytesAnswer } from './exchange.ts';
import type { SimAnswer } from './exchange.ts';
import { chatHeaders } from './limits/limits.ts';
import { isObject, parseJson } from './json.ts';
import type { Key } from './keys.ts';
import { RefusedError } from './error-responses.ts';
import type { Call, State } from './state.ts';
import type { Fault } from './stream/faults.ts';

/** Sets the limit headers of a full bucket: those of a response before the key is known. */
export function announceLimit({ limits, settings }: State, call: Call, group: 'chat' | 'models'): void {
  const full = { allowed: true, remaining: limits[group].burst, resetMs: 0, waitMs: 0 };
  Object.assign(call.headers, chatHeaders(limits[group], full, settings.resetForm));
}

/** Takes one request from the key's bucket. Throws 429 when it is empty. */
export function takeLimit(state: State, call: Call, key: Key, group: 'chat' | 'models'): void {
  const permit = state.accounts.bucket(key.key, group).take(state.now());
  Object.assign(call.headers, chatHeaders(state.limits[group], permit, state.settings.resetForm));
  if (!permit.allowed) throw tooMany('rate_limit_exceeded', Math.ceil(permit.waitMs / 1000));
}

/** 429 with a whole number of seconds in `Retry-After`, at least one: some clients give up without it. */
export function tooMany(code: string, seconds: number, message = 'Too many requests.'): RefusedError {
  return new RefusedError({
    status: 429,
    message,
    code,
    headers: { 'retry-after': String(Math.max(1, seconds)) },
  });
}

const REMAINING_HEADERS = ['x-ratelimit-remaining-requests', 'x-ratelimit-requests-remaining'];

/** Throws or returns the injected error of this request; undefined if there is none. */
export function setError(call: Call): SimAnswer | undefined {
  const parsed = parseJson(String(call.request.body ?? ''))?.value;
  const model = isObject(parsed) ? parsed['model'] : undefined;
  for (const fault of call.faults) {
    if (fault.kind === 'capacity' && (fault.model === undefined || fault.model === model)) {
      throw tooMany('model_at_capacity', fault.retryAfter ?? 1, 'The model is at capacity.');
    }
    if (fault.kind === 'limited') {
      for (const name of REMAINING_HEADERS) if (call.headers[name] !== undefined) call.headers[name] = '0';
      throw tooMany('rate_limit_exceeded', fault.retryAfter ?? 1);
    }
    if (fault.kind === 'quota') {
      const message = 'You exceeded your current quota; check your plan and billing.';
      throw new RefusedError({
        status: 429,
        message,
        code: 'insufficient_quota',
        type: 'insufficient_quota',
      });
    }
    if (fault.kind === 'html') return bytesAnswer(200, 'text/html', Buffer.from(PAGE));
    if (fault.kind === 'redirect') {
      return bytesAnswer(302, 'text/plain', Buffer.alloc(0), { location: fault.location });
    }
    if (fault.kind === 'error') return errorAnswer(fault);
  }
  return undefined;
}

const PAGE = '<!doctype html><title>Please wait</title><h1>One moment</h1>\n';

function errorAnswer(fault: Extract<Fault, { kind: 'error' }>): SimAnswer {
  const { status, message = `The simulator was told to answer ${status}.` } = fault;
  const wait = fault.retryAfter ?? (status === 429 ? 1 : undefined);
  const headers: Record<string, string> = wait === undefined ? {} : { 'retry-after': String(wait) };
  if (fault.body === 'html') return bytesAnswer(status, 'text/html', Buffer.from(PAGE), headers);
  if (fault.body === 'text') return bytesAnswer(status, 'text/plain', Buffer.from(message), headers);
  if (fault.body === 'empty') return bytesAnswer(status, 'text/plain', Buffer.alloc(0), headers);
  // An empty code means no code, as servers without codes send it.
  const code = (fault.code ?? (status === 429 ? 'rate_limit_exceeded' : '')) || null;
  throw new RefusedError({ status, message, code, headers });
}
