import { SlackApiError } from './call.ts';

/** Slack's codes of such errors. The last three are of one channel. Source: docs.slack.dev/reference/methods/conversations.history, conversations.replies. */
export const READ_FORBIDDEN: ReadonlySet<string> = new Set([
  'missing_scope',
  'access_denied',
  'not_allowed_token_type',
  'restricted_action',
  'channel_is_limited_access',
  'method_not_supported_for_channel_type',
]);

/** Whether Slack permanently forbids the app to read. Other errors may be temporary. */
export const isReadForbidden = (error: unknown): boolean =>
  error instanceof SlackApiError && READ_FORBIDDEN.has(error.code);
