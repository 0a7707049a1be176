import type { Args } from './args.ts';
import { required } from './args.ts';
import { type ApiResponse, RefusalError } from './context.ts';
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
  /** The origin of the simulator. */
  readonly url: () => string;
  /** The response to a method of apps. Undefined for all other methods. */
  call(method: string, args: Args, token: string | undefined): ApiResponse | undefined;
};

/** Methods that need a token of the app. Sources: docs.slack.dev/reference/methods, by name. */
export const APP_METHODS: ReadonlyMap<string, AppMethod> = new Map<string, AppMethod>([
  ['apps.connections.open', { tier: 't1', token: 'app', run: openConnection }],
  ['apps.manifest.export', { tier: 't3', token: 'config', run: exportManifest }],
]);

export function createSlackApp(
  id: string,
  settings: AppSettings,
  now: () => number,
  url: () => string,
): SlackApp {
  const limits = createTierLimits(now);
  const app: SlackApp = {
    id,
    settings,
    url,
    call(name, args, token) {
      const method = APP_METHODS.get(name);
      if (!method) return undefined;
      const error = refusalOf(settings, method, token, now());
      if (error !== undefined) return error;
      const retryAfter = limits.take(name, method.tier, undefined);
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
  return { ok: true, url: `${url().replace(/^http/, 'ws')}/link` };
}

function exportManifest({ id, settings }: SlackApp, args: Args): ApiResponse {
  if (required(args, 'app_id') !== id || settings.manifest === undefined)
    throw new RefusalError('invalid_app_id');
  return { ok: true, manifest: settings.manifest };
}
