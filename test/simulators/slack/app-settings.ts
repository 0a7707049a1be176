import * as v from 'valibot';
import { type Args, required } from './args.ts';
import { type ApiResponse, RefusalError } from './context.ts';
import { manifestShape } from './manifest-shape.ts';
import { SOCKET_PATH } from './socket-mode.ts';
import { createTierLimits, type Tier } from './tiers.ts';

/** The app as in Slack's settings of the app, and the tokens that belong to it rather than to a workspace. */
export type AppSettings = {
  /** App-level tokens (`xapp-…`) with their scopes. */
  readonly appTokens: Readonly<Record<string, readonly string[]>>;
  /** Configuration tokens (`xoxe.xoxp-…`) with the time when they expire, in ms; Slack gives them 12 hours. */
  readonly configTokens: Readonly<Record<string, number>>;
  /** The manifest of the app, as `apps.manifest.export` returns it. */
  readonly manifest: unknown;
};

export const DEFAULT_APP: AppSettings = { appTokens: {}, configTokens: {}, manifest: undefined };

type AppMethod = {
  readonly tier: Tier;
  readonly run: (app: SlackApp, args: Args) => ApiResponse;
  readonly token: 'app' | 'config';
};

export type SlackApp = {
  readonly id: string;
  readonly settings: AppSettings;
  /** Changed by `apps.manifest.create`. */
  manifest: unknown;
  /** The origin of the simulator. */
  readonly url: () => string;
  readonly signingSecret: string;
  /** The response to a method of apps. Undefined for all other methods. */
  call(method: string, args: Args, token: string | undefined): ApiResponse | undefined;
};

/** Methods that need a token of the app. Sources: docs.slack.dev/reference/methods, by name. */
export const APP_METHODS: ReadonlyMap<string, AppMethod> = new Map<string, AppMethod>([
  ['apps.connections.open', { tier: 't1', token: 'app', run: openConnection }],
  ['apps.manifest.create', { tier: 't1', token: 'config', run: createManifest }],
  ['apps.manifest.update', { tier: 't1', token: 'config', run: updateManifest }],
  ['apps.manifest.export', { tier: 't3', token: 'config', run: exportManifest }],
]);

/** What the app needs of the simulator. */
type Surroundings = {
  readonly now: () => number;
  readonly url: () => string;
  readonly signingSecret: string;
  /** Refuses requests above the rate limits. */
  readonly enforceTiers: boolean;
};

export function createSlackApp(
  id: string,
  settings: AppSettings,
  { now, url, signingSecret, enforceTiers }: Surroundings,
): SlackApp {
  const limits = createTierLimits(now);
  const app: SlackApp = {
    id,
    settings,
    manifest: settings.manifest,
    url,
    signingSecret,
    call(name, args, token) {
      const method = APP_METHODS.get(name);
      if (!method) return undefined;
      const error = refusalOf(settings, method, token, now());
      if (error !== undefined) return error;
      const retryAfter = enforceTiers ? limits.take(name, method.tier, undefined) : undefined;
      if (retryAfter !== undefined) return { ok: false, error: 'ratelimited', retryAfter };
      try {
        return method.run(app, args);
      } catch (thrown) {
        if (thrown instanceof RefusalError) return { ok: false, error: thrown.code, ...thrown.detail };
        throw thrown;
      }
    },
  };
  return app;
}

/** The error for this token; undefined if it is accepted. */
function refusalOf(
  { appTokens, configTokens }: AppSettings,
  { token: kind }: AppMethod,
  token: string | undefined,
  now: number,
): ApiResponse | undefined {
  if (token === undefined || token === '') return { ok: false, error: 'not_authed' };
  if (!token.startsWith(kind === 'app' ? 'xapp-' : 'xoxe.xoxp-'))
    return { ok: false, error: 'not_allowed_token_type' };
  if (kind === 'config') {
    const until = configTokens[token];
    if (until === undefined) return { ok: false, error: 'invalid_auth' };
    return now < until ? undefined : { ok: false, error: 'token_expired' };
  }
  const scopes = appTokens[token];
  if (scopes === undefined) return { ok: false, error: 'invalid_auth' };
  if (scopes.includes('connections:write')) return undefined;
  return { ok: false, error: 'missing_scope', needed: 'connections:write', provided: scopes.join(',') };
}

function openConnection({ url }: SlackApp): ApiResponse {
  return { ok: true, url: `${url().replace(/^http/, 'ws')}${SOCKET_PATH}` };
}

/**
 * Creates the app of a manifest: in this simulator, the app that the workspace has. A person still has to install it.
 * Source: docs.slack.dev/reference/methods/apps.manifest.create.
 */
function createManifest(app: SlackApp, args: Args): ApiResponse {
  app.manifest = readManifest(args);
  const credentials = {
    client_id: '10.20',
    client_secret: 'c',
    verification_token: 'v',
    signing_secret: app.signingSecret,
  };
  const oauth_authorize_url = `${app.url()}/oauth/v2/authorize?client_id=10.20`;
  return { ok: true, app_id: app.id, credentials, oauth_authorize_url };
}

/** Replaces the manifest. Source: docs.slack.dev/reference/methods/apps.manifest.update. */
function updateManifest(app: SlackApp, args: Args): ApiResponse {
  if (required(args, 'app_id') !== app.id) throw new RefusalError('invalid_app_id');
  app.manifest = readManifest(args);
  return { ok: true, app_id: app.id, permissions_updated: false };
}

/** The manifest among the arguments. Refuses an invalid one with the path and the reason of each fault. */
function readManifest(args: Args): unknown {
  const manifestJson = parseJson(required(args, 'manifest'));
  const { issues = [] } = v.safeParse(manifestShape, manifestJson);
  if (issues.length === 0) return manifestJson;
  throw new RefusalError('invalid_manifest', {
    errors: issues.map((issue) => ({
      message: issue.message,
      pointer: `/${v.getDotPath(issue)?.replaceAll('.', '/') ?? ''}`,
    })),
  });
}

function exportManifest({ id, manifest }: SlackApp, args: Args): ApiResponse {
  if (required(args, 'app_id') !== id || manifest === undefined) throw new RefusalError('invalid_app_id');
  return { ok: true, manifest };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusalError('invalid_manifest', { errors: [{ message: 'not JSON', pointer: '/' }] });
  }
}
