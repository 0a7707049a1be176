import type { RateLimitSeen } from '../config.ts';
import { type Headers, headerOf } from './headers.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|us|µs|ns|h|m|s))+$/u;

/**
 * A wait in ms from any form found in public: a Go duration (`6m0s`, `12ms`), seconds, Unix seconds, Unix ms, an HTTP or
 * ISO date. Undefined when it is none of these. Never negative.
 */
export function parseWait(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (text === '') return undefined;
  if (/^\d+(\.\d+)?$/u.test(text)) return fromNumber(Number(text), now);
  if (DURATION.test(text)) return fromDuration(text);
  if (!/[a-z:-]/iu.test(text) || /^[+-]/u.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A small number is seconds; a number of about now is a moment, in seconds or ms. */
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

/** How long the server asks to wait, in ms: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const ms = headerOf(headers, 'retry-after-ms');
  if (ms !== undefined && /^\d+(\.\d+)?$/u.test(ms.trim())) return Number(ms);
  return parseWait(headerOf(headers, 'retry-after'), now);
}

/**
 * Reads both families of limit headers: the chat's (`x-ratelimit-limit-requests`) and the vision service's, whose words
 * are swapped (`x-ratelimit-requests-limit`). Undefined when the answer has neither and is not a 429.
 */
export function rateLimitOf(status: number, headers: Headers, now: number): RateLimitSeen | undefined {
  const limit = count(headers, 'limit');
  const remaining = count(headers, 'remaining');
  const reset =
    headerOf(headers, 'x-ratelimit-reset-requests') ?? headerOf(headers, 'x-ratelimit-requests-reset');
  const retryAfterMs = retryAfter(headers, now);
  if (limit === undefined && remaining === undefined && reset === undefined && status !== 429)
    return undefined;
  return { status, limit, remaining, resetMs: parseWait(reset, now), retryAfterMs };
}

function count(headers: Headers, word: 'limit' | 'remaining'): number | undefined {
  const value =
    headerOf(headers, `x-ratelimit-${word}-requests`) ?? headerOf(headers, `x-ratelimit-requests-${word}`);
  return value !== undefined && /^\d+$/u.test(value.trim()) ? Number(value) : undefined;
}
