import { expect, test } from '@jest/globals';
import { calculateConfidence } from '../../../shared/chat/model/completion-outcome.ts';

test('the confidence is the geometric mean of the probabilities', () => {
  const tokens = [0.5, 0.125].map((probability) => ({ logprob: Math.log(probability) }));
  expect(calculateConfidence(tokens)).toBe(0.25);
  expect(calculateConfidence([{ logprob: 0 }])).toBe(1);
});

test('without tokens the confidence is unknown', () => {
  expect(calculateConfidence([])).toBeUndefined();
  expect(calculateConfidence()).toBeUndefined();
});
