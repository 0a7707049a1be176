import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createVerifier } from '../../../../shared/platforms/discord/inbound/verify.ts';
import { applicationKeys } from '../keys.ts';

const NOW_S = 1_790_000_000;
const { publicKey, headers } = applicationKeys();
const holds = createVerifier(publicKey);
const body = Buffer.from('{"type":1,"words":"grüße \u{1F600} \u2028"}');

const check = (
  signedHeaders: Record<string, string>,
  bytes: Uint8Array = body,
  now = NOW_S,
  by = holds,
): boolean => by(bytes, (name) => signedHeaders[name], now * 1000);

describe('a Discord signature', () => {
  test('is valid for the raw bytes only', () => {
    expect(check(headers(body, NOW_S))).toBe(true);
    expect(check(headers(body, NOW_S), Buffer.from('{"type":1}'))).toBe(false);
    expect(check({ ...headers(body, NOW_S), 'x-signature-timestamp': String(NOW_S + 1) })).toBe(false);
  });

  test.each([
    ['three minutes ago', -180, true],
    ['longer ago', -181, false],
    ['a minute ahead', 60, true],
    ['further ahead', 61, false],
  ])('with a timestamp %s (%i s) is valid: %s', (_, seconds, holdsThen) => {
    expect(check(headers(body, NOW_S + seconds))).toBe(holdsThen);
  });

  test('that is missing, malformed or of another length is invalid, and never an error', () => {
    const good = headers(body, NOW_S);
    const odd = fc.oneof(
      fc.constantFrom(
        '',
        '0',
        'zz'.repeat(64),
        '0'.repeat(127),
        '0'.repeat(129),
        `${'a'.repeat(127)}é`,
        '\0',
      ),
      fc.string({ maxLength: 200 }),
      fc.stringMatching(/^[0-9a-f]{128}$/),
    );
    fc.assert(
      fc.property(odd, odd, (signature, timestamp) => {
        expect(check({ ...good, 'x-signature-ed25519': signature })).toBe(false);
        expect(check({ ...good, 'x-signature-timestamp': timestamp })).toBe(false);
        expect(check({ 'x-signature-ed25519': signature })).toBe(false);
      }),
    );
    expect(check({})).toBe(false);
  });

  test('is invalid without a key, or with a malformed one', () => {
    for (const key of ['', 'not a key', publicKey.slice(1), `${publicKey}00`]) {
      expect(check(headers(body, NOW_S), body, NOW_S, createVerifier(key))).toBe(false);
    }
  });
});

test('no signature is valid when the public key is malformed', () => {
  // The public key of the first example of RFC 8032, whose private key is public.
  const d = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
  const x = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
  const key = createPrivateKey({
    key: { kty: 'OKP', crv: 'Ed25519', d: d.toString('base64url'), x: x.toString('base64url') },
    format: 'jwk',
  });
  const signature = sign(null, Buffer.concat([Buffer.from(String(NOW_S)), body]), key).toString('hex');
  const signed = { 'x-signature-timestamp': String(NOW_S), 'x-signature-ed25519': signature };
  expect(check(signed, body, NOW_S, createVerifier(x.toString('hex')))).toBe(true);
  expect(check(signed, body, NOW_S, createVerifier(''))).toBe(false);
});
