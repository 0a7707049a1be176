import { expect, test } from '@jest/globals';
import { AtCapacityError } from '../../../shared/upstream/index.ts';
import { completionHarness } from '../completion-harness.ts';

test('a question that has to wait for an hour returns sooner, so that its status stays and the person is told within ten minutes', async () => {
  const full = new AtCapacityError('full', { retryAfterMs: 3_600_000 });
  const { run, work, sentTexts } = completionHarness([[full]]);
  expect(await run()).toEqual({ kind: 'later', afterMs: 90_000 });
  await work.statusIndicator.stop();
  expect(sentTexts).toContainEqual(expect.stringMatching(/until about \d\d:\d\d/u));
});
