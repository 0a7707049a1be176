import { describe, expect, test } from '@jest/globals';
import type { PromptMessage } from '../../shared/domain/index.ts';
import { localize } from '../../shared/i18n/index.ts';
import { answerActions } from '../../shared/chat/display/answer-actions.ts';
import { BadRequestError } from '../../shared/upstream/index.ts';
import { endEvent, outcomeOf, completionHarness } from './completion-harness.ts';

const tooLong = new BadRequestError('too long', { status: 400, code: 'context_length_exceeded' });
const less: readonly PromptMessage[] = [{ role: 'user', content: 'Less.' }];
const full = { finish: 'context' } as const;

describe('a prompt that exceeds the context of the model', () => {
  test('is sent again with less history', async () => {
    const { run, requests, permits } = completionHarness([[tooLong], [endEvent('Yes.')]], {
      shortenPrompt: () => less,
    });
    expect((await outcomeOf(run())).outcome).toMatchObject({ kind: 'answered', text: 'Yes.' });
    expect(requests.map(({ messages }) => messages)).toEqual([[{ role: 'user', content: 'Why?' }], less]);
    expect(permits).toHaveLength(2);
  });

  test('is sent again also when the history left no room for the answer', async () => {
    const { run } = completionHarness([[endEvent('', full)], [endEvent('Yes.')]], {
      shortenPrompt: () => less,
    });
    expect((await outcomeOf(run())).outcome.text).toBe('Yes.');
  });

  test.each([
    ['the shorter prompt fails too', [[tooLong], [tooLong]], () => less],
    ['there is no history to drop', [[tooLong]], () => undefined],
  ])('ends with an explanation when %s', async (_, scripts, shorter) => {
    const { outcome } = await outcomeOf(completionHarness(scripts, { shortenPrompt: shorter }).run());
    expect(outcome).toMatchObject({
      kind: 'failed',
      text: expect.stringMatching(/Ask for less, or in parts/),
    });
  });
});

test('an answer that filled the context keeps its text, says so, and can be continued', async () => {
  const words = { type: 'text', text: 'Half' } as const;
  const { outcome } = await outcomeOf(
    completionHarness([[words, endEvent('Half', full)]], { shortenPrompt: () => less }).run(),
  );
  expect(outcome.text).toBe(`Half\n\n_${localize('en', 'answers.full')}_`);
  const { buttons } = answerActions(outcome, {
    steps: [],
    settings: { otherModels: [], layers: {} },
    locale: 'en',
    footer: undefined,
    hasCanvases: false,
  });
  expect(buttons.map(({ label }) => label)).toContain('Continue');
});

test('the request to a model with a small context leaves room for the answer', async () => {
  const small = { modelsWithImages: [], context: 4_096 };
  const { run, requests } = completionHarness([[endEvent('Yes.')]], { facts: small });
  await run();
  expect(requests[0]?.options.maxTokens).toBe(1_024);
});
