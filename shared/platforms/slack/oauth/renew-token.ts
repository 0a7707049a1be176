import { WebClient } from '@slack/web-api';
import * as v from 'valibot';
import { getSlackErrorCode, createWebClientOptions } from '../api/web-client.ts';

export type RenewTokenConfig = {
  /** Such as `https://slack.com/api/`. */
  readonly slackApiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly now: () => number;
};

/** Slack gave no new token. `code` is Slack's own, such as `invalid_refresh_token`, or `unanswered`. */
export class TokenNotRenewedError extends Error {
  override readonly name = 'TokenNotRenewedError';
  readonly code: string;
  constructor(code: string) {
    super(`Slack did not renew the token: ${code}`);
    this.code = code;
  }
}

const renewed = v.object({
  access_token: v.pipe(v.string(), v.minLength(1)),
  refresh_token: v.optional(v.string()),
  expires_in: v.optional(v.number()),
});

/**
 * Exchanges a refresh token, which is valid once, for the next bot token. Rejects with TokenNotRenewedError. The caller
 * holds a lease: InstallProvider's own `authorize` would let two processes renew at the same time.
 */
export async function renewToken(
  { slackApiUrl, clientId, clientSecret, now }: RenewTokenConfig,
  refreshToken: string,
) {
  const client = new WebClient(undefined, createWebClientOptions(slackApiUrl));
  const response = await client.oauth.v2
    .access({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })
    .catch((error: unknown) => {
      throw new TokenNotRenewedError(getSlackErrorCode(error));
    });
  const { success, output } = v.safeParse(renewed, response);
  if (!success) throw new TokenNotRenewedError('unexpected_answer');
  const { access_token: botToken, refresh_token: token, expires_in: seconds } = output;
  const hasRotation = token !== undefined && seconds !== undefined;
  return { botToken, renewal: hasRotation ? { token, until: now() + seconds * 1_000 } : undefined };
}
