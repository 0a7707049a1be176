import * as v from 'valibot';
import { userId, workspaceId } from '../../../domain/index.ts';
import { readJson } from '../lookup/read-json.ts';

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

const team = v.nullish(v.object({ id: v.string(), name: v.nullish(v.string()) }));
const granted = v.object({
  ok: v.literal(true),
  access_token: v.pipe(v.string(), v.minLength(1)),
  refresh_token: v.optional(v.string()),
  expires_in: v.optional(v.number()),
});
const installed = v.object({
  ...granted.entries,
  token_type: v.literal('bot'),
  bot_user_id: v.string(),
  scope: v.string(),
  team,
  enterprise: team,
  is_enterprise_install: v.nullish(v.boolean()),
  authed_user: v.object({ id: v.string() }),
});
const refused = v.object({ ok: v.literal(false), error: v.string() });

/**
 * Turns the code that Slack sent the browser back with into an install. An install for a whole organisation is one
 * workspace, named by the organisation. Rejects with NotGranted. Source: docs.slack.dev/authentication/installing-with-oauth.
 */
export async function redeemCode(config: OAuthConfig, code: string, redirectUri: string) {
  const read = v.safeParse(installed, await access(config, { code, redirect_uri: redirectUri }));
  if (!read.success) throw new NotGranted('unexpected_answer');
  const { output: data } = read;
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
  const read = v.safeParse(granted, await access(config, form));
  if (!read.success) throw new NotGranted('unexpected_answer');
  return { botToken: read.output.access_token, renewal: renewalOf(read.output, config) };
}

function renewalOf(
  { refresh_token: token, expires_in: seconds }: v.InferOutput<typeof granted>,
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
  const no = v.safeParse(refused, answer);
  if (no.success) throw new NotGranted(/^\w{1,80}$/.test(no.output.error) ? no.output.error : 'unreadable');
  if (answer === undefined) throw new NotGranted('unanswered');
  return answer;
}
