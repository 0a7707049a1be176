import type { RateLimitInfo } from '../config.ts';
import { type Headers, getHeader } from './headers.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const GO_DURATION = /^(?:\d+(?:\.\d+)?(?:ms|us|µs|ns|h|m|s))+$/u;

/**
 * Parses a wait into ms. Accepts a Go duration (`6m0s`, `12ms`), seconds, Unix seconds, Unix ms, an HTTP date or an ISO
 * date. Undefined for anything else. Never negative.
 */
export function parseWait(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (text === '') return undefined;
  if (/^\d+(\.\d+)?$/u.test(text)) return fromNumber(Number(text), now);
  if (GO_DURATION.test(text)) return fromDuration(text);
  if (!/[a-z:-]/iu.test(text) || /^[+-]/u.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A small number is seconds; a number near the current Unix time is a time, in seconds or ms. */
function fromNumber(number: number, now: number): number | undefined {
  if (number < 1e7) return number * 1_000;
  if (number >= 1e9 && number < 1e11) return Math.max(0, number * 1_000 - now);
  return number >= 1e11 && number < 1e14 ? Math.max(0, number - now) : undefined;
}

function fromDuration(text: string): number {
  let total = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|us|µs|ns|h|m|s)/gu)) {
    total += Number(number) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return total;
}

/**
 * Returns the wait that the server requests, in ms: the longer of `retry-after`, in seconds or as a date, and `retry-after-ms`, which
 * some servers send beside it.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const text = getHeader(headers, 'retry-after-ms')?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/u.test(text) ? Number(text) : undefined;
  const wait = parseWait(getHeader(headers, 'retry-after'), now);
  return ms === undefined || wait === undefined ? (wait ?? ms) : Math.max(wait, ms);
}

/**
 * Parses both forms of rate limit headers: chat (`x-ratelimit-limit-requests`) and vision, with swapped words
 * (`x-ratelimit-requests-limit`). Undefined when the response has neither and is not a 429.
 */
export function parseRateLimit(status: number, headers: Headers, now: number): RateLimitInfo | undefined {
  const limit = parseCount(headers, 'limit');
  const remaining = parseCount(headers, 'remaining');
  const reset =
    getHeader(headers, 'x-ratelimit-reset-requests') ?? getHeader(headers, 'x-ratelimit-requests-reset');
  const retryAfterMs = parseRetryAfter(headers, now);
  if (limit === undefined && remaining === undefined && reset === undefined && status !== 429)
    return undefined;
  return { status, limit, remaining, resetMs: parseWait(reset, now), retryAfterMs };
}

function parseCount(headers: Headers, word: 'limit' | 'remaining'): number | undefined {
  const value =
    getHeader(headers, `x-ratelimit-${word}-requests`) ?? getHeader(headers, `x-ratelimit-requests-${word}`);
  return value !== undefined && /^\d+$/u.test(value.trim()) ? Number(value) : undefined;
}
