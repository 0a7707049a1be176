import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import {
  AuthorizationError,
  type InstallProvider,
  InvalidStateError,
  MissingCodeError,
  MissingStateError,
} from '@slack/oauth';
import * as v from 'valibot';
import {
  getSlackErrorCode,
  createInstallProvider,
  MESSAGE_SEARCH_SCOPE,
  SCOPES,
} from '../../../shared/platforms/slack/index.ts';
import {
  createAwsCall,
  createKmsEncryptor,
  type Secret,
  createSecretReader,
  slackOAuthSchema,
} from '../../../shared/aws/index.ts';
import {
  type SlackOAuthConfig,
  type HttpResponse,
  type Log,
  createProcessLog,
  ROUTES,
  SECRET_PLACEHOLDER,
  type Clock,
} from '../../../shared/runtime/index.ts';
import { fetchDynamo, Installs } from '../../../shared/storage/index.ts';
import { type InstallOutcome, renderNotOffered, renderOutcomePage } from './install-pages.ts';
import { createInstallationStore, parseInstalledWorkspace } from './installation-store.ts';

export type SlackInstallDeps = {
  readonly app: Pick<Secret<v.InferOutput<typeof slackOAuthSchema>>, 'load'>;
  readonly slackApiUrl: string;
  /** The address of the API for browsers, where it is not the domain of the request. */
  readonly publicUrl?: string | undefined;
  readonly installs: Pick<Installs, 'save'>;
  readonly now: Clock;
  readonly log: Log;
};

/** The fields of an API Gateway event (payload 2.0) that the function reads. */
const pageRequest = v.object({
  routeKey: v.string(),
  cookies: v.optional(v.array(v.string()), []),
  queryStringParameters: v.optional(v.record(v.string(), v.string()), {}),
  requestContext: v.object({ domainName: v.string() }),
});
type PageRequest = v.InferOutput<typeof pageRequest>;

const LOOPBACK = /^(?:127\.0\.0\.1|localhost)(?::|$)/;

/**
 * The handler of the two pages of an install: one redirects the browser to Slack, to the other Slack sends it back. Rejects
 * only when the secret of the app cannot be read.
 */
export function createSlackInstall(deps: SlackInstallDeps): (event: unknown) => Promise<HttpResponse> {
  return async (event) => {
    const { success, output: page } = v.safeParse(pageRequest, event);
    // Not thrown: Lambda would log the error, with the code and the cookie in it.
    if (!success) return { statusCode: 400, body: '' };
    const app = await deps.app.load();
    if (app.clientId === SECRET_PLACEHOLDER) return renderNotOffered();
    const domainName = deps.publicUrl ? new URL(deps.publicUrl).host : page.requestContext.domainName;
    const isLocal = LOOPBACK.test(domainName);
    const provider = createInstallProvider({
      ...app,
      slackApiUrl: deps.slackApiUrl,
      // The prefix has browsers refuse the cookie from any other host, and without `Secure`.
      cookieName: isLocal ? 'parley-install' : '__Host-parley-install',
      installationStore: createInstallationStore(deps.installs, deps.now),
      now: deps.now,
    });
    const http = nodeHttp(page);
    const origin = `${isLocal ? 'http' : 'https'}://${domainName}`;
    if (page.routeKey === `GET ${ROUTES.slackInstall}`) {
      const redirectUri = `${origin}${ROUTES.slackRedirect}`;
      await provider.handleInstallPath(http.request, http.response, undefined, {
        // Of the link for workspaces that want the search of messages: docs/message-search.md.
        scopes:
          page.queryStringParameters['search'] === undefined
            ? [...SCOPES]
            : [...SCOPES, MESSAGE_SEARCH_SCOPE],
        redirectUri,
      });
      const location = String(http.response.getHeader('location'));
      const headers = { location, ...getCookie(http.response, isLocal), 'cache-control': 'no-store' };
      return { statusCode: 302, headers, body: '' };
    }
    if (isStartedAtSlack(page)) {
      const headers = { location: `${origin}${ROUTES.slackInstall}`, 'cache-control': 'no-store' };
      return { statusCode: 302, headers, body: '' };
    }
    const outcome = await completeInstall(provider, http, page);
    if (outcome.kind === 'installed') deps.log('slack.installed', { workspace: outcome.workspace });
    if (outcome.kind === 'failed') deps.log('slack.install-failed', { code: outcome.code });
    const answer = renderOutcomePage(outcome);
    return { ...answer, headers: { ...answer.headers, ...getCookie(http.response, isLocal) } };
  };
}

/**
 * Slack's own pages start an install too, such as those where administrators of an organization approve apps, and send no state
 * (slackapi/bolt-js#1101, #1316). The code is not used, as anybody could have sent the browser here with one of theirs: the install starts again.
 */
const isStartedAtSlack = ({ queryStringParameters: { code, state } }: PageRequest): boolean =>
  Boolean(code) && !state;

type NodeHttp = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Node's request and response, which InstallProvider works with. Nothing is sent; only headers are read of the response. */
function nodeHttp({ cookies, queryStringParameters }: PageRequest): NodeHttp {
  const request = new IncomingMessage(new Socket());
  request.url = `/?${new URLSearchParams(queryStringParameters)}`;
  request.headers = { host: 'localhost', cookie: cookies.join('; ') };
  return { request, response: new ServerResponse(request) };
}

/** InstallProvider's cookie, for this site alone. Without TLS, as on one machine, some browsers refuse `Secure`. */
function getCookie(response: ServerResponse, isLocal: boolean): { readonly 'set-cookie'?: string } {
  const cookie = response.getHeader('set-cookie');
  if (typeof cookie !== 'string') return {};
  return { 'set-cookie': `${isLocal ? cookie.replace('; Secure', '') : cookie}; SameSite=Lax` };
}

/** Has InstallProvider verify the state, exchange the code and store the installation. */
function completeInstall(
  provider: InstallProvider,
  { request, response }: NodeHttp,
  { queryStringParameters: query }: PageRequest,
): Promise<InstallOutcome> {
  return new Promise((resolve, reject) => {
    const handled = provider.handleCallback(request, response, {
      success: (installation) => resolve({ kind: 'installed', ...parseInstalledWorkspace(installation) }),
      failure: (error) => resolve(toOutcome(error, query['error'] !== undefined)),
    });
    handled.catch(reject);
  });
}

/** `isDenied`: Slack says that the person did not allow the app. */
function toOutcome(error: Error & { readonly code: string }, isDenied: boolean): InstallOutcome {
  if (error instanceof InvalidStateError || error instanceof MissingStateError) return { kind: 'stale' };
  // Without a code nothing is exchanged, so the state is not verified either.
  if (error instanceof MissingCodeError || error instanceof AuthorizationError)
    return { kind: isDenied ? 'denied' : 'stale' };
  const isSlack = error.code.startsWith('slack_webapi_');
  return { kind: 'failed', code: isSlack ? getSlackErrorCode(error) : 'internal' };
}

/** The dependencies of the deployed function. */
export function createInstallDeps(config: SlackOAuthConfig): SlackInstallDeps {
  const now = Date.now;
  const aws = createAwsCall(config.aws, { deadlineMs: 3_000 });
  const encryptor = createKmsEncryptor(config.sealKeyId, aws);
  const dynamo = fetchDynamo(aws);
  return {
    app: createSecretReader(config.slackOAuthSecretId, slackOAuthSchema, { aws, now }),
    slackApiUrl: config.slackApiUrl,
    publicUrl: config.publicUrl,
    installs: new Installs({
      dynamo,
      table: config.conversationsTable,
      encryptor,
      now,
      unique: randomUUID,
    }),
    now,
    log: createProcessLog(config.logLevel, now).info,
  };
}
