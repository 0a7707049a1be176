import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { readClaim, verify } from '../../../../shared/platforms/slack/inbound/verify.ts';

// The example of docs.slack.dev/authentication/verifying-requests-from-slack.
const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const TIMESTAMP = '1531420618';
const SIGNATURE = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
const BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
const NOW = Number(TIMESTAMP) * 1000;

const headers = (timestamp?: string, signature?: string) => (name: string) =>
  ({ 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature })[name];
const check = (
  timestamp: string,
  signature: string,
  now: number,
  secrets: string[],
  body = BODY,
): boolean => {
  const claim = readClaim(headers(timestamp, signature), now);
  return claim !== undefined && verify(Buffer.from(body), claim, secrets);
};

describe('the signature of a request', () => {
  test('of the documented example is valid', () => {
    expect(check(TIMESTAMP, SIGNATURE, NOW, [SECRET])).toBe(true);
  });

  test.each([
    [-300, true],
    [-301, false],
    [300, true],
    [301, false],
  ])('signed %d s from now: %s', (seconds, good) => {
    expect(check(TIMESTAMP, SIGNATURE, NOW - seconds * 1000, [SECRET])).toBe(good);
  });

  test('is valid with the current and the previous secret, never with an empty one', () => {
    expect(check(TIMESTAMP, SIGNATURE, NOW, ['new', SECRET])).toBe(true);
    expect(check(TIMESTAMP, SIGNATURE, NOW, [SECRET, 'old'])).toBe(true);
    expect(check(TIMESTAMP, SIGNATURE, NOW, ['new', 'old'])).toBe(false);
    expect(check(TIMESTAMP, SIGNATURE, NOW, [])).toBe(false);
    const empty = `v0=${createHmac('sha256', '').update(`v0:${TIMESTAMP}:${BODY}`).digest('hex')}`;
    expect(check(TIMESTAMP, empty, NOW, ['', ''])).toBe(false);
  });

  test('covers bytes, not characters', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
    const signature = `v0=${createHmac('sha256', SECRET).update(`v0:${TIMESTAMP}:`).update(bytes).digest('hex')}`;
    const claim = readClaim(headers(TIMESTAMP, signature), NOW);
    expect(claim && verify(bytes, claim, [SECRET])).toBe(true);
    expect(claim && verify(Buffer.from(bytes.toString('utf8')), claim, [SECRET])).toBe(false);
  });

  test('is invalid after the change of one bit, in body or signature', () => {
    fc.assert(
      fc.property(fc.nat(BODY.length - 1), fc.nat(7), fc.nat(63), (at, bit, digit) => {
        const body = Buffer.from(BODY);
        body.writeUInt8(body.readUInt8(at) ^ (1 << bit), at);
        const claim = readClaim(headers(TIMESTAMP, SIGNATURE), NOW);
        expect(claim && verify(body, claim, [SECRET])).toBe(false);
        const other = SIGNATURE[3 + digit] === '0' ? '1' : '0';
        const changed = SIGNATURE.slice(0, 3 + digit) + other + SIGNATURE.slice(4 + digit);
        expect(check(TIMESTAMP, changed, NOW, [SECRET])).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a malformed signature is rejected:', () => {
  test.each([
    ['without headers', undefined, undefined],
    ['without a timestamp', undefined, SIGNATURE],
    ['without a signature', TIMESTAMP, undefined],
    ['with a timestamp that is not an integer', `${TIMESTAMP}.0`, SIGNATURE],
    ['with a timestamp in other digits', `0x${Number(TIMESTAMP).toString(16)}`, SIGNATURE],
    ['with a space', ` ${TIMESTAMP}`, SIGNATURE],
    ['with a line break', `${TIMESTAMP}\n`, SIGNATURE],
    ['with a signature in capitals', TIMESTAMP, SIGNATURE.toUpperCase()],
    ['of another version', TIMESTAMP, SIGNATURE.replace('v0', 'v1')],
    ['cut short', TIMESTAMP, SIGNATURE.slice(0, -1)],
    ['too long', TIMESTAMP, `${SIGNATURE}0`],
    ['of other letters', TIMESTAMP, SIGNATURE.replace('a', 'z')],
  ])('%s', (_, timestamp, signature) => {
    expect(readClaim(headers(timestamp, signature), NOW)).toBeUndefined();
  });
});
