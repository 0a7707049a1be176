import { expect, test } from '@jest/globals';
import { type Actor, payerOf } from './access-model.ts';

const actor: Actor = {
  tenant: 'T1',
  channel: 'C1',
  conversation: '1',
  user: 'U1',
  admin: true,
  secret: false,
  operation: 'video pressed',
};

test('a video counts on the budgets of the person it was proposed to, also if an administrator starts it', () => {
  expect(payerOf(actor, 'U2')).toBe('U2');
});

test('every other request counts on the budgets of the person who acts', () => {
  expect(payerOf(actor, undefined)).toBe('U1');
  expect(payerOf({ ...actor, admin: false }, 'U2')).toBe('U1');
  expect(payerOf({ ...actor, guest: true }, 'U2')).toBe('U1');
});
