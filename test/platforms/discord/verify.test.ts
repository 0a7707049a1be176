import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { verifier } from '../../../shared/platforms/discord/verify.ts';
import { applicationKeys } from './keys.ts';

const NOW_S = 1_790_000_000;
const { publicKey, headers } = applicationKeys();
const holds = verifier(publicKey);
const body = Buffer.from('{"type":1,"words":"grüße \u{1F600} \u2028"}');

const check = (given: Record<string, string>, bytes: Uint8Array = body, now = NOW_S, by = holds): boolean =>
  by(bytes, (name) => given[name], now * 1000);

describe('the signature of Discord', () => {
  test('holds for the raw bytes, and for no others', () => {
    expect(check(headers(body, NOW_S))).toBe(true);
    expect(check(headers(body, NOW_S), Buffer.from('{"type":1}'))).toBe(false);
    expect(check({ ...headers(body, NOW_S), 'x-signature-timestamp': String(NOW_S + 1) })).toBe(false);
  });

  test.each([
    ['three minutes ago', -180, true],
    ['longer ago', -181, false],
    ['a minute ahead', 60, true],
    ['further ahead', 61, false],
  ])('made %s', (_, seconds, holdsThen) => {
    expect(check(headers(body, NOW_S + seconds))).toBe(holdsThen);
  });

  test('that is missing, odd or of another length is false, never an error', () => {
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

  test('holds for nobody where no key is given, or one that is none', () => {
    for (const key of ['', 'not a key', publicKey.slice(1), `${publicKey}00`]) {
      expect(check(headers(body, NOW_S), body, NOW_S, verifier(key))).toBe(false);
    }
  });
});
