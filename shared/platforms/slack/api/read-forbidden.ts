import { SlackApiError } from './call.ts';

const CODES: ReadonlySet<string> = new Set(['missing_scope', 'access_denied', 'not_allowed_token_type']);

/** Whether Slack permanently forbids the app to read. Other errors may be temporary. */
export const isReadForbidden = (error: unknown): boolean =>
  error instanceof SlackApiError && CODES.has(error.code);
