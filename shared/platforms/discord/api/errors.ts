import { type CallFailure, retryUntilDeadline } from '../../retry.ts';
import { CannotPostError, ThreadDeletedError } from '../../ports/platform.ts';
import { DiscordRateLimited, DiscordNotYet, DiscordApiError } from './call.ts';
import { kindOfCode, type RefusalKind } from './error-codes.ts';

/** Reads what is known from what a DiscordCall rejected with. */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof DiscordRateLimited) return { kind: 'busy', waitMs: error.retryAfterMs };
  if (error instanceof DiscordNotYet) return { kind: 'transient' };
  if (error instanceof ThreadDeletedError || error instanceof CannotPostError)
    return { kind: 'refused', code: 'thread-gone' };
  return error instanceof DiscordApiError
    ? { kind: 'refused', code: String(error.code) }
    : { kind: 'unknown' };
}

/** What Discord's refusal means; undefined for what is no refusal of Discord's. */
export const refusalKind = (error: unknown): RefusalKind | undefined =>
  error instanceof DiscordApiError ? kindOfCode(error.code) : undefined;

/** Whether a ticket is worth nothing any more. Asked again and again, Discord would take it for abuse. */
export const isExpiredToken = (error: unknown): error is DiscordApiError =>
  refusalKind(error) === 'token-expired';

/** Nothing that is tried again would be let in: a locked thread, a channel that the bot may not write in, a person who blocks it. */
const CLOSED: ReadonlySet<RefusalKind | undefined> = new Set([
  'forbidden',
  'thread-closed',
  'user-unreachable',
]);

/** What Discord refused with, whatever it has become on its way. */
const causeOf = (error: unknown): unknown =>
  error instanceof ThreadDeletedError || error instanceof CannotPostError ? error.cause : error;

/** Whether a place is there, but not for the bot. */
export const isClosed = (error: unknown): boolean => CLOSED.has(refusalKind(causeOf(error)));

/** Whether the bot lacks a permission. */
export const isForbidden = (error: unknown): boolean => refusalKind(causeOf(error)) === 'forbidden';

/** Whether a thread takes nothing more from those who may not manage it. */
export const isLocked = (error: unknown): boolean => refusalKind(causeOf(error)) === 'thread-closed';

export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof DiscordApiError && codes.includes(error.code);

/** What may be written down of a failed call. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

/** Repeats a call that is harmless to repeat until it succeeds, is refused for good, or time runs out. */
export const retryDiscord = retryUntilDeadline(failureOf);
