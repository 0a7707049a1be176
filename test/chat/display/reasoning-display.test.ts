import { expect, test } from '@jest/globals';
import { endEvent, outcomeOf, completionHarness } from '../completion-harness.ts';

const thought = (words: string) => ({ type: 'reasoning', text: words }) as const;
const text = (words: string) => ({ type: 'text', text: words }) as const;
const usage = { promptTokens: 10, completionTokens: 700, reasoningTokens: 640, cachedTokens: 0 };

test('reasoning is a step with its duration and tokens', async () => {
  const { run, reply, time } = completionHarness([
    [
      thought('Hm.'),
      () => time.advance(4_000),
      thought('Or green?'),
      () => time.advance(5_000),
      text('Blue.'),
      () => time.advance(5_000),
      endEvent('Blue.', { usage }),
    ],
  ]);
  const { ending, steps } = await outcomeOf(run());
  expect(reply.steps.map(({ id, title, state }) => [id, title, state])).toEqual([
    ['reasoning-1', 'Thinking', 'running'],
    ['reasoning-1', 'Thought for 9 s', 'done'],
    ['reasoning-1', 'Thought for 9 s · 640 tokens', 'done'],
  ]);
  expect(steps).toEqual([reply.steps[2]]);
  expect(ending.text).toBe('Blue.');
});

test('mode brief shows no trace, full its end, file all of it, off no step', async () => {
  const long = Array.from({ length: 2_000 }, (_, i) => `word${i}`).join(' ');
  const script = [[thought(long), text('Blue.'), endEvent('Blue.', { usage })]];
  const shown = async (reasoning: 'off' | 'brief' | 'full' | 'file') =>
    (await outcomeOf(completionHarness(script, { settings: { reasoning } }).run())).steps;
  expect(await shown('off')).toEqual([]);
  expect((await shown('brief'))[0]).not.toHaveProperty('details');
  const [{ details = '' } = {}] = await shown('full');
  expect(details).toMatch(/^… word\d+ .*word1999$/u);
  expect(details.length).toBeLessThanOrEqual(2_000);
  expect((await shown('file'))[0]).toMatchObject({ details, file: long });
});

test('the step shows only the duration without a token count; a failure ends it', async () => {
  expect((await outcomeOf(completionHarness([[thought('Hm.'), endEvent('Blue.')]]).run())).steps).toEqual([
    { id: 'reasoning-1', title: 'Thought for 1 s', state: 'done' },
  ]);
  const { run, reply } = completionHarness([[thought('Hm.'), new Error('away')]]);
  await expect(run()).rejects.toThrow('away');
  expect(reply.steps.at(-1)?.state).toBe('done');
});

test('reasoning is in no later prompt', async () => {
  const call = { id: 'c1', name: 'none', arguments: '{}' };
  const tool = {
    definition: { name: 'none' },
    prepare: () => ({
      title: 'Nothing',
      status: ['answers.status.reading'] as const,
      run: () => Promise.resolve({ content: 'done', summary: 'done' }),
    }),
  };
  const { run, requests } = completionHarness(
    [
      [thought('SECRET'), text('Let me see.'), endEvent('Let me see.', { toolCalls: [call] })],
      [thought('SECRET'), endEvent('Blue.')],
    ],
    { tools: [tool], settings: { reasoning: 'full' } },
  );
  const { ending } = await outcomeOf(run());
  expect(JSON.stringify([requests.map(({ messages }) => messages), ending])).not.toContain('SECRET');
});
