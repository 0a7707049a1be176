import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Recorder } from '../recorder.ts';
import * as v from 'valibot';
import type { SlackApp } from './app-settings.ts';
import type { Args } from './args.ts';
import { callOf, readBody, sendJson } from './http.ts';
import type { Workspace } from './workspace.ts';

/** The app as in Slack's app settings. */
export type OAuthApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whether tokens expire after twelve hours and are rotated. Off by default. */
  readonly rotates?: boolean | undefined;
};

/** The scopes that a person grants in a workspace. */
type Grant = { readonly workspace: Workspace; readonly scopes: readonly string[] };
/** It is void once the workspace has removed the app another time. */
type Install = Grant & { readonly removals: number };
type Code = Grant & { readonly redirectUri: string; readonly until: number };
type Issued = { readonly install: Install; readonly until: number };

/** The codes and tokens that the simulator has issued. */
export type OAuth = {
  readonly app: OAuthApp;
  readonly codes: Map<string, Code>;
  readonly tokens: Map<string, Issued>;
  readonly refreshes: Map<string, Install>;
};

/** Where it has force: part of what `api.ts` serves. */
type Place = {
  readonly workspaces: readonly [Workspace, ...Workspace[]];
  readonly app: Pick<SlackApp, 'manifest'>;
  readonly now: () => number;
  readonly oauth?: OAuth | undefined;
  readonly onCall: (call: { method: string; args: Args; at: number; outcome: string; team: string }) => void;
  readonly record?: Recorder | undefined;
};

export const createOAuth = (app: OAuthApp): OAuth => ({
  app,
  codes: new Map(),
  tokens: new Map(),
  refreshes: new Map(),
});

const CODE_MS = 10 * 60_000;
const TOKEN_SECONDS = 43_200;

/** What a token of a request stands for: a workspace's own token, with fewer scopes if OAuth issued it, or why it is refused. */
export type Token = {
  readonly token: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly error?: 'token_expired' | 'account_inactive';
};

/** The workspace's own token behind an issued one. */
export function tokenBehind({ oauth, now }: Place, token: string | undefined): Token {
  const issued = oauth && token !== undefined ? oauth.tokens.get(token) : undefined;
  if (!issued) return { token };
  const { scopes } = issued.install;
  const own = issued.install.workspace.identity.botToken;
  if (isVoid(issued.install)) return { token: own, scopes, error: 'account_inactive' };
  return now() < issued.until ? { token: own, scopes } : { token: own, scopes, error: 'token_expired' };
}

const isVoid = ({ workspace, removals }: Install): boolean => workspace.removals() > removals;

/**
 * The page on which Slack asks a person. `?team=` selects the workspace, the first by default; a click allows or
 * denies.
 */
export function serveAuthorize(api: Place, response: ServerResponse, url: URL): void {
  const params = url.searchParams;
  const back = params.get('redirect_uri') ?? '';
  const state = params.get('state') ?? '';
  const reject = (reason: string): void =>
    void response.writeHead(400, { 'content-type': 'text/plain' }).end(reason);
  if (!api.oauth || params.get('client_id') !== api.oauth.app.clientId || !URL.canParse(back))
    return reject('Invalid client_id parameter');
  if (!isConfigured(api.app.manifest, back)) return reject('redirect_uri did not match any configured URIs');
  const team = params.get('team');
  const workspace = api.workspaces.find(({ identity }) => identity.teamId === team) ?? api.workspaces[0];
  const code = randomBytes(16).toString('hex');
  const requestedScopes = new Set((params.get('scope') ?? '').split(','));
  // A workspace may refuse optional ones.
  const scopes = workspace.identity.scopes.filter((scope) => requestedScopes.has(scope));
  api.oauth.codes.set(code, { workspace, scopes, redirectUri: back, until: api.now() + CODE_MS });
  const link = (answer: Record<string, string>): string => {
    const to = new URL(back);
    for (const [name, value] of Object.entries({ ...answer, state })) to.searchParams.set(name, value);
    return to.href.replaceAll('&', '&amp;');
  };
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><title>Slack</title><h1>Parley wants to access ${workspace.identity.teamName}</h1>
<p>${(params.get('scope') ?? '').replaceAll(/[^\w:,.-]/g, '')}</p>
<a id="allow" href="${link({ code })}">Allow</a> <a id="cancel" href="${link({ error: 'access_denied' })}">Cancel</a>`,
  );
}

const withRedirects = v.object({ oauth_config: v.object({ redirect_urls: v.array(v.string()) }) });

/**
 * Whether an app may redirect there: host and port are those of an address in its manifest, and the path is that or one below it. Without a
 * manifest the simulated app has no such list. Source: docs.slack.dev/authentication/installing-with-oauth.
 */
function isConfigured(manifest: unknown, back: string): boolean {
  if (manifest === undefined) return true;
  const { success, output } = v.safeParse(withRedirects, manifest);
  const to = new URL(back);
  return (
    success &&
    output.oauth_config.redirect_urls.some((configured) => {
      const { origin, pathname } = new URL(configured);
      return to.origin === origin && `${to.pathname}/`.startsWith(pathname.replace(/\/?$/, '/'));
    })
  );
}

/** `oauth.v2.access`: exchanges a code or a refresh token for a bot token. Both are valid once. */
export async function serveAccess(api: Place, request: IncomingMessage, response: ServerResponse, url: URL) {
  const call = callOf(request, url, (await readBody(request)) ?? '');
  const answer = access(api, call?.args ?? {}, request.headers.authorization);
  api.record?.({
    platform: 'slack',
    kind: 'call',
    operation: 'oauth.v2.access',
    request: call?.args,
    status: 200,
    response: answer,
  });
  api.onCall({
    method: 'oauth.v2.access',
    args: {},
    at: api.now(),
    outcome: answer.ok ? 'ok' : answer.error,
    team: '',
  });
  sendJson(response, 200, answer);
}

function access({ oauth, now }: Place, args: Args, authorization = '') {
  if (!oauth) return refuse('invalid_client_id');
  // Slack accepts them in the form and by HTTP Basic: docs.slack.dev/reference/methods/oauth.v2.access.
  const [id, secret] = authorization.startsWith('Basic ')
    ? Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')
    : [args['client_id'], args['client_secret']];
  if (id !== oauth.app.clientId) return refuse('invalid_client_id');
  if (secret !== oauth.app.clientSecret) return refuse('bad_client_secret');
  if (args['grant_type'] === 'refresh_token') {
    const refresh = String(args['refresh_token']);
    const renewed = oauth.refreshes.get(refresh);
    oauth.refreshes.delete(refresh);
    return renewed && !isVoid(renewed) ? grant(oauth, renewed, now()) : refuse('invalid_refresh_token');
  }
  const code = String(args['code']);
  const issuedCode = oauth.codes.get(code);
  oauth.codes.delete(code);
  if (!issuedCode || now() > issuedCode.until) return refuse('invalid_code');
  if (issuedCode.redirectUri !== args['redirect_uri']) return refuse('bad_redirect_uri');
  const { workspace, scopes } = issuedCode;
  workspace.install();
  return grant(oauth, { workspace, scopes, removals: workspace.removals() }, now());
}

const refuse = (error: string) => ({ ok: false, error }) as const;

function grant(oauth: OAuth, install: Install, now: number) {
  const { identity } = install.workspace;
  const token = `xoxb-issued-${randomBytes(12).toString('hex')}`;
  const until = oauth.app.rotates ? now + TOKEN_SECONDS * 1_000 : Infinity;
  oauth.tokens.set(token, { install, until });
  const { enterprise } = identity;
  return {
    ok: true,
    access_token: token,
    ...(oauth.app.rotates ? { expires_in: TOKEN_SECONDS, refresh_token: refreshOf(oauth, install) } : {}),
    token_type: 'bot',
    scope: install.scopes.join(','),
    bot_user_id: identity.botUserId,
    app_id: identity.appId,
    team: enterprise?.orgInstall ? null : { id: identity.teamId, name: identity.teamName },
    enterprise: enterprise ? { id: enterprise.id, name: enterprise.name } : null,
    is_enterprise_install: enterprise?.orgInstall === true,
    authed_user: { id: identity.users[0]?.id ?? identity.botUserId },
  } as const;
}

function refreshOf(oauth: OAuth, install: Install): string {
  const token = `xoxe-issued-${randomBytes(12).toString('hex')}`;
  oauth.refreshes.set(token, install);
  return token;
}
