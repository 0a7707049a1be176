import { SlackApiError } from '../api/call.ts';

const CODES: ReadonlySet<string> = new Set(['missing_scope', 'access_denied', 'not_allowed_token_type']);

/** Whether an app may not read something in Slack, which stays so. Whatever else Slack refuses with may pass. */
export const mayNotRead = (error: unknown): boolean =>
  error instanceof SlackApiError && CODES.has(error.code);
