import { describe, expect, test } from '@jest/globals';
import type { PromptMessage } from '../../shared/domain/index.ts';
import { localize } from '../../shared/i18n/index.ts';
import { answerActions } from '../../shared/chat/display/answer-actions.ts';
import { BadRequestError } from '../../shared/upstream/index.ts';
import { end, endingOf, rig } from './rig.ts';

const tooLong = new BadRequestError('too long', { status: 400, code: 'context_length_exceeded' });
const less: readonly PromptMessage[] = [{ role: 'user', content: 'Less.' }];
const full = { finish: 'context' } as const;

describe('a prompt that the model cannot take in', () => {
  test('is sent once more with less of the past', async () => {
    const { run, requests, taken } = rig([[tooLong], [end('Yes.')]], { shortenPrompt: () => less });
    expect((await endingOf(run())).ending).toMatchObject({ kind: 'answered', text: 'Yes.' });
    expect(requests.map(({ messages }) => messages)).toEqual([[{ role: 'user', content: 'Why?' }], less]);
    expect(taken).toHaveLength(2);
  });

  test('is sent once more too if the past left no room for a word', async () => {
    const { run } = rig([[end('', full)], [end('Yes.')]], { shortenPrompt: () => less });
    expect((await endingOf(run())).ending.text).toBe('Yes.');
  });

  test.each([
    ['it failed twice', [[tooLong], [tooLong]], () => less],
    ['there is no past', [[tooLong]], () => undefined],
  ])('ends in a sentence of its own if %s', async (_, scripts, shorter) => {
    const { ending } = await endingOf(rig(scripts, { shortenPrompt: shorter }).run());
    expect(ending).toMatchObject({
      kind: 'failed',
      text: expect.stringMatching(/Ask for less, or in parts/),
    });
  });
});

test('an answer that filled the context keeps its words, says so, and may be gone on with', async () => {
  const words = { type: 'text', text: 'Half' } as const;
  const { ending } = await endingOf(rig([[words, end('Half', full)]], { shortenPrompt: () => less }).run());
  expect(ending.text).toBe(`Half\n\n_${localize('en', 'answers.full')}_`);
  const { buttons } = answerActions(ending, [], { otherModels: [], layers: {} }, 'en');
  expect(buttons.map(({ label }) => label)).toContain('Continue');
});

test('the answer of a model that takes in little is asked to leave room', async () => {
  const small = { modelsWithImages: [], context: 4_096 };
  const { run, requests } = rig([[end('Yes.')]], { facts: small });
  await run();
  expect(requests[0]?.options.maxTokens).toBe(1_024);
});
