import type { WorkspaceId } from '../../../shared/domain/index.ts';
import type { HttpResponse } from '../../../shared/runtime/index.ts';
import { renderHtmlPage } from '../html-page.ts';

export type InstallOutcome =
  | { readonly kind: 'installed'; readonly workspace: WorkspaceId; readonly name: string }
  /** Another browser started the install, or it took more than ten minutes. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'denied' }
  /** `code` is Slack's own; `unanswered` or `internal` where it gave none. */
  | { readonly kind: 'failed'; readonly code: string };

const OUTCOMES: Readonly<
  Record<Exclude<InstallOutcome['kind'], 'installed'>, readonly [number, string, string]>
> = {
  stale: [
    400,
    'This install was not started in this browser, or took more than ten minutes',
    'Nothing was installed. Open the install page again.',
  ],
  denied: [
    200,
    'Nothing was installed',
    'You did not allow the app, or closed the page of Slack. You can start again at any time.',
  ],
  failed: [
    502,
    'Slack did not finish the install',
    'Open the install page again. If that does not help, the operator of this bot finds the reason in its log.',
  ],
};

/** Errors for a code that is made up or used. They are a 400: anyone can send such a code, and a 502 raises an alarm. */
const INVALID_CODES = new Set(['invalid_code', 'code_already_used', 'code_expired']);

/** The page at the end of an install. */
export function renderOutcomePage(outcome: InstallOutcome): HttpResponse {
  if (outcome.kind === 'installed') {
    return renderHtmlPage(
      200,
      `The bot is now in ${outcome.name}`,
      'Go to Slack and mention it, or write to it directly.',
    );
  }
  const [status, title, text] = OUTCOMES[outcome.kind];
  return renderHtmlPage(
    outcome.kind === 'failed' && INVALID_CODES.has(outcome.code) ? 400 : status,
    title,
    text,
  );
}

/** The page of a deployment for a single workspace. */
export const renderNotOffered = (): HttpResponse =>
  renderHtmlPage(
    404,
    'This bot is for one workspace',
    'Its operator has not enabled installs in other workspaces.',
  );
