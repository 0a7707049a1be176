import { expect, test } from '@jest/globals';
import { PayingKeys } from './paying-keys.ts';

const LATER = 600_000;

test('the key of the deployment may not pay for a workspace that has a key of its own', () => {
  const keys = new PayingKeys();
  keys.set('T1', 'own', 0);
  expect([keys.mayPay('T1', 'own', LATER, 'common'), keys.mayPay('T1', 'common', LATER, 'common')]).toEqual([
    true,
    false,
  ]);
});

test('a key that is entered while the app is not installed may not be stored, as nobody is known to be an administrator', () => {
  const keys = new PayingKeys();
  keys.removeApp('T1', 0);
  keys.set('T1', 'own', 1);
  expect(keys.mayPay('T1', 'common', LATER, 'common')).toBe(true);
  keys.installApp('T1');
  keys.set('T1', 'new', LATER);
  expect(keys.mayPay('T1', 'common', 2 * LATER, 'common')).toBe(false);
});

test('the key of a workspace may not pay after the app was removed', () => {
  const keys = new PayingKeys();
  keys.set('T1', 'own', 0);
  keys.removeApp('T1', 1);
  expect(keys.mayPay('T1', 'own', LATER, 'common')).toBe(false);
});
