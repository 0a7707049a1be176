import type { WorkspaceId } from '../../../shared/domain/index.ts';
import type { HttpResponse } from '../../../shared/runtime/http.ts';

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
    'This install was not begun in this browser, or took more than ten minutes',
    'Begin again: nothing was installed.',
  ],
  denied: [
    200,
    'Nothing was installed',
    'You said no, or Slack was closed. You can begin again at any time.',
  ],
  failed: [
    502,
    'Slack did not finish the install',
    'Begin again. If that does not help, whoever runs this bot finds the reason in its log.',
  ],
};

/** What Slack says of a code that is made up, or was used. Whoever sends one could else have the alarm for failures of ours ring. */
const CODES_OF_VISITORS = new Set(['invalid_code', 'code_already_used', 'code_expired']);

/** What the browser shows at the end of an install. */
export function outcomePage(outcome: InstallOutcome): HttpResponse {
  if (outcome.kind === 'installed') {
    return page(
      200,
      `The bot is now in ${outcome.name}`,
      'Go to Slack and mention it, or write to it directly.',
    );
  }
  const [status, title, text] = OUTCOMES[outcome.kind];
  return page(outcome.kind === 'failed' && CODES_OF_VISITORS.has(outcome.code) ? 400 : status, title, text);
}

/** Of a deployment that is for one workspace alone. */
export const notOffered = (): HttpResponse =>
  page(404, 'This bot is for one workspace', 'Whoever runs it has not set it up to be installed in others.');

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
