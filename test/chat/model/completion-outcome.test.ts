import { expect, test } from '@jest/globals';
import { confidenceOf } from '../../../shared/chat/model/completion-outcome.ts';

test('the confidence is the geometric mean of the probabilities', () => {
  const tokens = [0.5, 0.125].map((probability) => ({ logprob: Math.log(probability) }));
  expect(confidenceOf(tokens)).toBe(0.25);
  expect(confidenceOf([{ logprob: 0 }])).toBe(1);
});

test('without tokens the confidence is unknown', () => {
  expect(confidenceOf([])).toBeUndefined();
  expect(confidenceOf()).toBeUndefined();
});
