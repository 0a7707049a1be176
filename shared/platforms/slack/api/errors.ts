import type { CallFailure } from '../../index.ts';
import { ThreadDeletedError } from '../../ports/index.ts';
import { DEFAULT_RETRY_AFTER_MS, SlackRateLimitError, SlackApiError } from './call.ts';
import { READ_FORBIDDEN } from './read-forbidden.ts';
import * as v from 'valibot';

const TRANSIENT = new Set([
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  // The workspace moves into an organization.
  'org_login_required',
  'messaging_processing_failed',
  'external_channel_migrating',
  // Of `conversations.members` and `conversations.replies`.
  'fetch_members_failed',
  'list_record_comment_fetch_failed',
]);

/** Slack documents for each: "some aspect of the operation may have succeeded before the error was raised". */
const UNKNOWN = new Set(['internal_error', 'fatal_error', 'update_failed']);

/** Rate limits of messages that are in the response body, without a status 429 and without a wait. */
const TOO_MANY = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

/** Classifies the error with which a SlackCall rejected. */
export function classifyError(error: unknown): CallFailure {
  if (error instanceof SlackRateLimitError) return { kind: 'busy', waitMs: error.retryAfterMs };
  if (error instanceof ThreadDeletedError) return { kind: 'refused', code: 'thread_not_found' };
  if (!(error instanceof SlackApiError)) return { kind: 'unknown' };
  if (TOO_MANY.has(error.code)) return { kind: 'busy', waitMs: DEFAULT_RETRY_AFTER_MS };
  if (TRANSIENT.has(error.code)) return { kind: 'transient' };
  if (UNKNOWN.has(error.code)) return { kind: 'unknown' };
  return { kind: 'refused', code: error.code };
}

/** Whether posting there fails permanently: neither another method nor a retry can succeed. */
export function isPermanent(code: string): boolean {
  return PERMANENT_ERRORS.has(code) || isRestricted(code);
}

/** Whether the bot may not post where others may: only some people may post in the channel, or threads are closed there. */
export const isRestricted = (code: string): boolean => code.startsWith('restricted_action');

const PERMANENT_ERRORS = new Set([
  'account_inactive',
  'cannot_reply_to_message',
  'channel_not_found',
  'ekm_access_denied',
  'invalid_auth',
  'invalid_thread_ts',
  'is_archived',
  'messages_tab_disabled',
  'missing_scope',
  'not_authed',
  'not_in_channel',
  'team_access_not_granted',
  'thread_not_found',
  'token_expired',
  'token_revoked',
]);

/**
 * Whether nothing can be posted there any more: the channel is deleted or archived, or the bot or the app was removed, also by an
 * organization from this workspace alone. Unlike an invalid
 * token or a missing scope, which the operator can correct while a question waits.
 */
export function isGone(code: string): boolean {
  return CHANNEL_GONE_ERRORS.has(code) || isRestricted(code);
}

const CHANNEL_GONE_ERRORS = new Set([
  'account_inactive',
  'channel_not_found',
  'is_archived',
  'is_inactive',
  'messages_tab_disabled',
  'not_in_channel',
  'team_access_not_granted',
  'token_revoked',
]);

/**
 * Codes of refusals of a search. An app that is installed for mentions only has no history scope: a message whose post had an
 * unknown outcome may then appear twice. A deleted thread has no messages.
 */
export const SEARCH_REFUSED: ReadonlySet<string> = new Set([
  ...READ_FORBIDDEN,
  'thread_not_found',
  'message_not_found',
]);

/** The reason of a failure as it may be logged. */
export function getRefusalReason(error: unknown): string {
  if (error instanceof SlackApiError) return error.code;
  // Its message quotes the response of Slack, which may contain texts of people.
  if (v.isValiError(error)) return error.name;
  return error instanceof Error ? error.message : 'unknown';
}
