import * as z from 'zod/mini';
import { userId, workspaceId } from '../../conversation/index.ts';
import { readJson } from './read-json.ts';

export type OAuthConfig = {
  /** Such as `https://slack.com/api/`. */
  readonly slackApiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly now: () => number;
};

/** Slack did not grant what was asked for. `code` is its own, such as `invalid_code`; `unanswered` if it said nothing. */
export class NotGranted extends Error {
  override readonly name = 'NotGranted';
  readonly code: string;
  constructor(code: string) {
    super(`Slack did not grant it: ${code}`);
    this.code = code;
  }
}

const TIMEOUT_MS = 10_000;

const team = z.nullish(z.object({ id: z.string(), name: z.nullish(z.string()) }));
const granted = z.object({
  ok: z.literal(true),
  access_token: z.string().check(z.minLength(1)),
  refresh_token: z.optional(z.string()),
  expires_in: z.optional(z.number()),
});
const installed = z.extend(granted, {
  token_type: z.literal('bot'),
  bot_user_id: z.string(),
  scope: z.string(),
  team,
  enterprise: team,
  is_enterprise_install: z.nullish(z.boolean()),
  authed_user: z.object({ id: z.string() }),
});
const refused = z.object({ ok: z.literal(false), error: z.string() });

/**
 * Turns the code that Slack sent the browser back with into an install. An install for a whole organisation is one
 * workspace, named by the organisation. Rejects with NotGranted. Source: docs.slack.dev/authentication/installing-with-oauth.
 */
export async function redeemCode(config: OAuthConfig, code: string, redirectUri: string) {
  const read = installed.safeParse(await access(config, { code, redirect_uri: redirectUri }));
  if (!read.success) throw new NotGranted('unexpected_answer');
  const { data } = read;
  const place = data.is_enterprise_install === true ? data.enterprise : data.team;
  if (!place) throw new NotGranted('no_workspace');
  return {
    workspace: workspaceId(place.id),
    name: place.name ?? place.id,
    botToken: data.access_token,
    botUser: userId(data.bot_user_id),
    scopes: data.scope,
    by: userId(data.authed_user.id),
    at: config.now(),
    renewal: renewalOf(data, config),
  };
}

/** Turns a refresh token, which serves once, into the next bot token. Rejects with NotGranted. */
export async function renewToken(config: OAuthConfig, refreshToken: string) {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const read = granted.safeParse(await access(config, form));
  if (!read.success) throw new NotGranted('unexpected_answer');
  return { botToken: read.data.access_token, renewal: renewalOf(read.data, config) };
}

function renewalOf(
  { refresh_token: token, expires_in: seconds }: z.infer<typeof granted>,
  { now }: OAuthConfig,
) {
  return token !== undefined && seconds !== undefined ? { token, until: now() + seconds * 1_000 } : undefined;
}

/** `oauth.v2.access`. What Slack answers is not kept in errors: it may hold tokens. */
async function access(
  { slackApiUrl, clientId, clientSecret }: OAuthConfig,
  form: Readonly<Record<string, string>>,
): Promise<unknown> {
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  const answer = await fetch(new URL('oauth.v2.access', slackApiUrl), {
    method: 'POST',
    headers: { authorization: `Basic ${basic.toString('base64')}` },
    body: new URLSearchParams(form),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
    .then(readJson)
    .catch(() => undefined);
  const no = refused.safeParse(answer);
  if (no.success) throw new NotGranted(/^\w{1,80}$/.test(no.data.error) ? no.data.error : 'unreadable');
  if (answer === undefined) throw new NotGranted('unanswered');
  return answer;
}
