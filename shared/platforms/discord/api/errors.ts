import { type CallFailure, retryUntilDeadline } from '../../index.ts';
import { CannotPostError, ThreadDeletedError } from '../../ports/index.ts';
import { DiscordRateLimitError, DiscordNotReadyError, DiscordApiError } from './call.ts';
import { ERROR_CODES, getKindOfCode, type RefusalKind } from './error-codes.ts';

/** Classifies the error with which a DiscordCall rejected. */
export function classifyError(error: unknown): CallFailure {
  if (error instanceof DiscordRateLimitError) return { kind: 'busy', waitMs: error.retryAfterMs };
  if (error instanceof DiscordNotReadyError) return { kind: 'transient' };
  if (error instanceof ThreadDeletedError || error instanceof CannotPostError)
    return { kind: 'refused', code: 'thread-gone' };
  return error instanceof DiscordApiError
    ? { kind: 'refused', code: String(error.code) }
    : { kind: 'unknown' };
}

/** The meaning of a refusal; undefined for other errors. */
export const getRefusalKind = (error: unknown): RefusalKind | undefined =>
  error instanceof DiscordApiError ? getKindOfCode(error.code) : undefined;

/** Whether the interaction token has expired. Discord treats repeated use of one as abuse. */
export const isExpiredToken = (error: unknown): error is DiscordApiError =>
  getRefusalKind(error) === 'token-expired';

/** A retry would fail too: the thread is locked, the bot may not post in the channel, or the person blocks it. */
const CLOSED: ReadonlySet<RefusalKind | undefined> = new Set([
  'forbidden',
  'thread-closed',
  'user-unreachable',
]);

/** The refusal itself, if it was wrapped in an error of the port. */
const unwrapRefusal = (error: unknown): unknown =>
  error instanceof ThreadDeletedError || error instanceof CannotPostError ? error.cause : error;

/** Error codes that a later attempt may not get: rate limits, outages of Discord, a rejected bot token. */
const TEMPORARY: ReadonlySet<number> = new Set([
  ERROR_CODES.ActionCannotBePerformedDueToSlowmodeRateLimit,
  ERROR_CODES.ChannelSendRateLimit,
  ERROR_CODES.ServerSendRateLimit,
  ERROR_CODES.Unauthorized,
  ERROR_CODES.OpeningDirectMessagesTooFast,
  ERROR_CODES.SendMessagesHasBeenTemporarilyDisabled,
  ERROR_CODES.FeatureTemporarilyDisabledServerSide,
  ERROR_CODES.ServiceResourceIsBeingRateLimited,
  ERROR_CODES.CloudflareIsBlockingYourRequest,
  ERROR_CODES.APIResourceOverloaded,
]);

/**
 * Whether Discord would refuse a repetition too. A refusal without one of its codes comes from a proxy or from Cloudflare: the next attempt may
 * get through.
 */
export const isFinalRefusal = (error: unknown): error is DiscordApiError =>
  error instanceof DiscordApiError &&
  error.code !== 0 &&
  error.status !== 401 &&
  error.status !== 429 &&
  !TEMPORARY.has(error.code);

/** The error of the port for a message that Discord refuses for good, with the reason that people are told. */
export const toCannotPostError = (error: unknown): CannotPostError =>
  new CannotPostError(`the bot may not write there: ${getErrorReason(error)}`, {
    cause: error,
    why: isBlockedWords(error) ? 'words-blocked' : undefined,
  });

/** Whether a filter of Discord or of the guild blocks the words. */
export const isBlockedWords = (error: unknown): boolean => getRefusalKind(error) === 'words-blocked';

/** Whether the channel or thread exists but is closed to the bot. */
export const isClosed = (error: unknown): boolean => CLOSED.has(getRefusalKind(unwrapRefusal(error)));

/** Whether the bot lacks a permission. */
export const isForbidden = (error: unknown): boolean => getRefusalKind(unwrapRefusal(error)) === 'forbidden';

/** Whether the thread is locked for members without the permission Manage Threads. */
export const isLocked = (error: unknown): boolean => getRefusalKind(unwrapRefusal(error)) === 'thread-closed';

/** Whether Discord has refused a request with one of these codes of its own. */
export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof DiscordApiError && codes.includes(error.code);

/** Whether Discord accepts no more edits of messages older than an hour for now: a rate limit with a code of its own. */
export const isOldEditLimit = (error: unknown): boolean =>
  error instanceof DiscordRateLimitError &&
  error.code === ERROR_CODES.MaximumNumberOfEditsToMessagesOlderThanOneHourReached;

/** The reason of a failure as it may be logged. */
export function getErrorReason(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

/** Retries an idempotent request until it succeeds, is refused permanently, or the deadline is reached. */
export const retryDiscord = retryUntilDeadline(classifyError);
