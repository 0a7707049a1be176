import { expect, test } from '@jest/globals';
import { calculateConfidence } from '../../../shared/chat/model/completion-outcome.ts';
import { chooseOutcome, isStoppedBefore } from '../../../shared/chat/answer/regenerate-request.ts';
import { localize } from '../../../shared/i18n/index.ts';
import { BadRequestError } from '../../../shared/upstream/index.ts';
import { completionHarness, endEvent, outcomeOf } from '../completion-harness.ts';

test('the confidence is the geometric mean of the probabilities', () => {
  const tokens = [0.5, 0.125].map((probability) => ({ logprob: Math.log(probability) }));
  expect(calculateConfidence(tokens)).toBe(0.25);
  expect(calculateConfidence([{ logprob: 0 }])).toBe(1);
});

test('without tokens the confidence is unknown', () => {
  expect(calculateConfidence([])).toBeUndefined();
  expect(calculateConfidence()).toBeUndefined();
});

test('a question that the content filter of the server rejected says so', async () => {
  const rejected = new BadRequestError('no', { status: 400, code: 'content_filter' });
  const { outcome } = await outcomeOf(completionHarness([[rejected]]).run());
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'bad-request' });
  expect(outcome.text).toBe(`_${localize('en', 'answers.filtered')}_`);
});

test('a new answer that is stopped before its first word leaves the stored one, also with a notice of the bot above it', async () => {
  const first = await outcomeOf(completionHarness([[endEvent('Because.')]]).run());
  const harness = completionHarness([[() => harness.stop.abort()]], { opening: '_A file was left out._' });
  const { outcome } = await outcomeOf(harness.run());
  expect(outcome.text).toContain('A file was left out.');
  expect(isStoppedBefore(outcome)).toBe(true);
  expect(chooseOutcome(outcome, first.outcome, { kind: 'regenerate' })).toBe(first.outcome);
});
