import * as crypto from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createHmac } from './signature-cache.ts';

const cached = (key: string, text: string, body: string): string =>
  createHmac('sha256', key).update(text).update(Buffer.from(body)).digest().toString('hex');
const computed = (key: string, text: string, body: string): string =>
  crypto.createHmac('sha256', key).update(text).update(Buffer.from(body)).digest().toString('hex');

test.each([
  ['a', 'v0:1:', 'body'],
  ['a', 'v0:1:', 'body'],
  ['b', 'v0:1:', 'body'],
  ['a', 'v0:2:', 'body'],
  ['a', 'v0:1:b', 'ody'],
  ['a', 'v0:1:', 'böden'],
])('a digest depends on key, text and bytes (%s, %s, %s)', (...of) => {
  expect(cached(...of)).toBe(computed(...of));
});
