import { createHmac, timingSafeEqual } from 'node:crypto';

/** The timestamp and signature that a request states. Not verified yet. */
export type SignatureClaim = { readonly timestamp: string; readonly digest: Buffer };

/** Returns a header that was sent exactly once. The name is in lower case. */
export type Header = (name: string) => string | undefined;

/** The largest difference of the timestamp from now, in seconds, either way. Slack advises it; a future one could be replayed. */
const WINDOW_S = 300;
const TIMESTAMP = /^\d{1,12}$/;
const SIGNATURE = /^v0=([0-9a-f]{64})$/;

/**
 * Reads timestamp and signature. Undefined if a header is missing or malformed, or the timestamp is more than 300 s from
 * `nowMs` (ms since 1970): such a request is refused without its body or any secret being read.
 */
export function readClaim(header: Header, nowMs: number): SignatureClaim | undefined {
  const timestamp = header('x-slack-request-timestamp') ?? '';
  const hex = SIGNATURE.exec(header('x-slack-signature') ?? '')?.[1];
  if (hex === undefined || !TIMESTAMP.test(timestamp)) return undefined;
  if (Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > WINDOW_S) return undefined;
  return { timestamp, digest: Buffer.from(hex, 'hex') };
}

/**
 * Whether one of the secrets (the current one and, during a change, the previous one) signed these bytes. Tries every
 * secret, so that the time does not tell which one matched. Never throws.
 * See docs.slack.dev/authentication/verifying-requests-from-slack.
 */
export function verify(body: Uint8Array, claim: SignatureClaim, secrets: readonly string[]): boolean {
  let isValid = false;
  for (const secret of secrets) {
    if (secret === '') continue;
    const digest = createHmac('sha256', secret).update(`v0:${claim.timestamp}:`).update(body).digest();
    if (timingSafeEqual(digest, claim.digest)) isValid = true;
  }
  return isValid;
}
