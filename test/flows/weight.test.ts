import { expect, test } from '@jest/globals';
import { weightOf } from '../../shared/flows/slot.ts';

test('those whom the workspace favours have twice the share, nobody else', () => {
  const settings = { layers: { workspace: { values: { favoured: ['U2'] } } } };
  expect(['U1', 'U2', 'U22'].map((user) => weightOf(user, settings))).toEqual([1, 2, 1]);
  expect(weightOf('U2', { layers: {} })).toBe(1);
});
