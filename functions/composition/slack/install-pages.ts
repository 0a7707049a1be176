import type { WorkspaceId } from '../../../shared/domain/index.ts';
import type { HttpResponse } from '../../../shared/runtime/index.ts';

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
export function outcomePage(outcome: InstallOutcome): HttpResponse {
  if (outcome.kind === 'installed') {
    return page(
      200,
      `The bot is now in ${outcome.name}`,
      'Go to Slack and mention it, or write to it directly.',
    );
  }
  const [status, title, text] = OUTCOMES[outcome.kind];
  return page(outcome.kind === 'failed' && INVALID_CODES.has(outcome.code) ? 400 : status, title, text);
}

/** The page of a deployment for a single workspace. */
export const notOffered = (): HttpResponse =>
  page(404, 'This bot is for one workspace', 'Its operator has not enabled installs in other workspaces.');

function page(statusCode: number, title: string, text: string): HttpResponse {
  const style = 'body{font:18px/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}';
  return {
    statusCode,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    body: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style><h1>${escaped(title)}</h1><p>${escaped(text)}</p></html>`,
  };
}

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
