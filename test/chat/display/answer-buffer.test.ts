import { expect, test } from '@jest/globals';
import { endEvent, outcomeOf, completionHarness } from '../completion-harness.ts';

const text = (words: string) => ({ type: 'text', text: words }) as const;

test('reasoning that is recognized at the end of an answer is no part of it', async () => {
  const words = 'Okay, the user …\n</think>\n\nParis.';
  const { run } = completionHarness([[text(words), endEvent('Paris.')]]);
  expect((await outcomeOf(run())).outcome.text).toBe('Paris.');
});

test('words that the end of a request does not repeat stay', async () => {
  const { run } = completionHarness([[text('Paris.'), endEvent('')]]);
  expect((await outcomeOf(run())).outcome.text).toBe('Paris.');
});
