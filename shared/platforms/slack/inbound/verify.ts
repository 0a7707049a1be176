import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a request says of itself: the moment of its signing, and the signature. Not yet believed. */
export type SignatureClaim = { readonly timestamp: string; readonly digest: Buffer };

/** A header that was sent exactly once; the name is lower case. */
export type Header = (name: string) => string | undefined;

/** How far the moment of signing may lie from now, either way (Slack's own advice; a future one could be replayed). */
const WINDOW_S = 300;
const TIMESTAMP = /^\d{1,12}$/;
const SIGNATURE = /^v0=([0-9a-f]{64})$/;

/**
 * Reads what the request claims. Undefined if a header is missing or odd, or the moment is more than 300 s from `nowMs`
 * (ms since 1970): such a request is refused without a look at its body or at any secret.
 */
export function readClaim(header: Header, nowMs: number): SignatureClaim | undefined {
  const timestamp = header('x-slack-request-timestamp') ?? '';
  const hex = SIGNATURE.exec(header('x-slack-signature') ?? '')?.[1];
  if (hex === undefined || !TIMESTAMP.test(timestamp)) return undefined;
  if (Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > WINDOW_S) return undefined;
  return { timestamp, digest: Buffer.from(hex, 'hex') };
}

/**
 * Whether the claim holds for these bytes under one of the secrets (the current one and, while it is being changed, the
 * one before). Every secret is tried whatever came of the others. Never throws.
 * See docs.slack.dev/authentication/verifying-requests-from-slack.
 */
export function verify(body: Uint8Array, claim: SignatureClaim, secrets: readonly string[]): boolean {
  let valid = false;
  for (const secret of secrets) {
    if (secret === '') continue;
    const digest = createHmac('sha256', secret).update(`v0:${claim.timestamp}:`).update(body).digest();
    if (timingSafeEqual(digest, claim.digest)) valid = true;
  }
  return valid;
}
