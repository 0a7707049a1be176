import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a person may take to say yes, in ms. */
export const STATE_MS = 10 * 60_000;

/**
 * Goes to Slack with the browser and comes back with it, and is kept in the browser as a cookie: only the browser that
 * began an install can finish it, so nobody can be made to install somebody else's workspace. `secret` is known to this
 * deployment and Slack alone.
 */
export function newState(secret: string, now: number): string {
  const began = `${now.toString(36)}.${randomBytes(24).toString('base64url')}`;
  return `${began}.${sign(began, secret)}`;
}

/** Whether `state`, as Slack sent it back, is the one that this browser kept, and one of ours of the last ten minutes. */
export function isOurState(state: string, kept: string, secret: string, now: number): boolean {
  const [moment = '', nonce = '', signature = ''] = state.split('.');
  const age = now - Number.parseInt(moment, 36);
  return (
    same(state, kept) && same(signature, sign(`${moment}.${nonce}`, secret)) && age >= 0 && age <= STATE_MS
  );
}

export type Asking = {
  /** Such as `https://slack.com/oauth/v2/authorize`. */
  readonly authorizeUrl: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly state: string;
};

/** Where a browser is sent for Slack to ask the person. */
export function askingAt({ authorizeUrl, clientId, scopes, redirectUri, state }: Asking): string {
  const query = new URLSearchParams({
    client_id: clientId,
    scope: scopes.join(','),
    redirect_uri: redirectUri,
    state,
  });
  return `${authorizeUrl}?${query}`;
}

const sign = (text: string, secret: string): string =>
  createHmac('sha256', secret).update(`install:${text}`).digest('base64url');

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
