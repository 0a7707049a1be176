import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Returns the value of a header that was sent exactly once. The name is in lower case. */
export type Header = (name: string) => string | undefined;

const KEY = /^[0-9a-f]{64}$/i;
const SIGNATURE = /^[0-9a-f]{128}$/i;
const TIMESTAMP = /^\d{1,12}$/;

/** The maximum age of a signature, and how far Discord's clock may be ahead. */
const PAST_S = 180;
const AHEAD_S = 60;

/** A valid public key without a known private key. It is used if the configured key is missing or invalid. */
const NOBODY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const NO_SIGNATURE = '0'.repeat(128);

/**
 * Creates the function that checks whether Discord signed a request at most three minutes ago: Ed25519 over the timestamp and the raw
 * body, with the application's public key (64 hex characters). A missing or invalid signature returns false after the same work as a
 * valid one, and never throws: Discord sends invalid ones on purpose. The window is shorter than the five minutes of queue
 * deduplication, so a replay within it has no effect.
 * See docs:interactions/overview#validating-security-request-headers.
 */
export function createVerifier(
  publicKey: string,
): (body: Uint8Array, header: Header, nowMs: number) => boolean {
  const isUsable = KEY.test(publicKey);
  const key = importKey(isUsable ? publicKey : NOBODY);
  return (body, header, nowMs) => {
    const hex = header('x-signature-ed25519') ?? '';
    const timestamp = header('x-signature-timestamp') ?? '';
    const isWellFormed = SIGNATURE.test(hex) && TIMESTAMP.test(timestamp);
    const signature = Buffer.from(isWellFormed ? hex : NO_SIGNATURE, 'hex');
    const isSigned = verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, signature);
    const age = Math.floor(nowMs / 1000) - Number(timestamp);
    return isUsable && isWellFormed && isSigned && age <= PAST_S && age >= -AHEAD_S;
  };
}

/** Imports the key as a JWK (RFC 8037), which OpenSSL parses in half the time of DER. That saves 1 ms of the front's start. */
function importKey(hex: string): KeyObject {
  const x = Buffer.from(hex, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
