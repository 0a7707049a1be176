import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SlackApp } from './app-settings.ts';
import type { Args } from './args.ts';
import type { Fault, Faults } from './faults.ts';
import type { Recorder } from '../recorder.ts';
import { callOf, readBody, sendJson } from './http.ts';
import { ROUTES } from './methods/routes.ts';
import { type OAuth, serveAccess, tokenBehind } from './oauth.ts';
import type { After } from './timers.ts';
import type { Workspace } from './workspace.ts';

/** One Web API request as it arrived, without its token. */
export type SeenCall = {
  readonly method: string;
  readonly args: Args;
  /** ms since 1970, by the workspace's clock. */
  readonly at: number;
  /** `ok`, Slack's error, or the effect of a fault. */
  readonly outcome: string;
  /** The workspace of its token. */
  readonly team: string;
};

export type Api = {
  /** Several, if the app is installed in several: the token of a request selects one. */
  readonly workspaces: readonly [Workspace, ...Workspace[]];
  readonly now: () => number;
  readonly after: After;
  readonly faults: Faults;
  /** Absent if the app cannot be installed by OAuth. */
  readonly oauth?: OAuth | undefined;
  readonly app: SlackApp;
  readonly onCall: (call: SeenCall) => void;
  readonly record?: Recorder | undefined;
  /** A `response_url` responds to a `markdown` block with an empty 500. */
  readonly hooksRefuseMarkdown?: boolean | undefined;
  /** The second host of a file, if the first redirects. */
  readonly redirectFile?: ((path: string) => string) | undefined;
};

/** Handles `/api/<method>`. */
export async function serveCall(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const method = url.pathname.slice('/api/'.length);
  if (method === 'oauth.v2.access') return serveAccess(api, request, response, url);
  const body = await readBody(request);
  if (body === undefined) return sendJson(response, 413, { ok: false, error: 'request_too_large' });
  const call = callOf(request, url, body);
  if (!call) return sendJson(response, 200, { ok: false, error: 'invalid_json' });
  const { token, scopes, error } = tokenBehind(api, call.token);
  const { teamId: team } = ofToken(api, token).identity;
  const record = (outcome: string): void =>
    api.onCall({ method, args: call.args, at: api.now(), outcome, team });
  const fault = api.faults.hit(method);
  const called = { platform: 'slack', kind: 'call', operation: method, request: call.args } as const;
  if (fault && stopsBefore(fault, response)) {
    api.record?.(called);
    return record(fault.kind);
  }
  if (fault?.kind === 'delay') await new Promise<void>((resolve) => void api.after(fault.ms, resolve));
  const workspace = ofToken(api, token);
  const answer =
    error === undefined
      ? (api.app.call(method, call.args, token) ?? workspace.call(method, call.args, token, scopes))
      : ({ ok: false, error } as const);
  record(answer.ok ? 'ok' : answer.error);
  const { retryAfter, ...visible } = answer;
  const status = retryAfter === undefined ? 200 : 429;
  api.record?.({ ...called, status, response: visible });
  if (fault?.kind === 'lose-reply') return void response.destroy();
  sendJson(response, status, visible, {
    'x-slack-req-id': randomUUID(),
    'x-oauth-scopes': (scopes ?? workspace.identity.scopes).join(','),
    'x-accepted-oauth-scopes': ROUTES.get(method)?.scopes.join(',') ?? '',
    ...(typeof retryAfter === 'number' ? { 'retry-after': String(retryAfter) } : {}),
  });
}

/** The workspace of this token, or the first. */
export function ofToken({ workspaces }: Api, token: string | undefined): Workspace {
  return workspaces.find(({ identity }) => identity.botToken === token) ?? workspaces[0];
}

/** True if the fault responds itself and the request takes no effect. */
export function stopsBefore(fault: Fault, response: ServerResponse): boolean {
  switch (fault.kind) {
    case 'refuse':
      sendJson(response, 200, { ok: false, error: fault.error });
      return true;
    case 'busy':
      sendJson(
        response,
        429,
        { ok: false, error: 'ratelimited' },
        { 'retry-after': String(fault.retryAfter) },
      );
      return true;
    case 'status':
      response.writeHead(fault.status, { 'content-type': 'text/html' });
      response.end('<html><body>Server trouble</body></html>');
      return true;
    case 'redirect':
      response.writeHead(302, { location: fault.to });
      response.end();
      return true;
    case 'cut':
      response.destroy();
      return true;
    case 'lose-reply':
    case 'delay':
  }
  return false;
}
