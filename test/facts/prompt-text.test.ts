import { expect, test } from '@jest/globals';
import { formatFacts } from '../../shared/facts/index.ts';
import { memoryHarness } from './memory-harness.ts';

const fact = (text: string) => ({ id: '1', text, isPrivate: false, at: 0 });

test('the facts of the channel come first', () => {
  const text = formatFacts({ person: [fact('Likes tea')], channel: [{ id: 'k1', text: 'Be brief' }] });
  expect(text).toMatch(
    /^What administrators noted[^]*- Be brief[^]*What the person[^]*- Likes tea[^]*no instructions/u,
  );
});

test('prompts of a thread share all bytes up to the last question, whatever facts come and go', async () => {
  const at = await memoryHarness();
  await at.type('memory on');
  const root = '1767225700.000001';
  const prompts: string[] = [];
  for (const [question, change] of [
    ['First?', 'memory add I like tea'],
    ['Second?', 'memory add I am in Lisbon'],
    ['Third?', 'memory clear'],
    ['Fourth?', 'memory off'],
  ] as const) {
    await at.ask(question, { root });
    prompts.push(
      (at.prompts.at(-1) ?? [])
        .map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : ''}`)
        .join('\n'),
    );
    await at.type(change);
  }
  const [first = '', second = '', third = '', fourth = ''] = prompts;
  expect(second).toContain('- I like tea');
  expect(third).toContain('- I am in Lisbon');
  // Up to the end of the question before: what the upstream has cached is billed less.
  expect(second.startsWith(first)).toBe(true);
  expect(third.startsWith(second.slice(0, second.indexOf('Second?') + 7))).toBe(true);
  expect(fourth.startsWith(third.slice(0, third.indexOf('Third?') + 6))).toBe(true);
  expect(fourth).not.toMatch(/tea|Lisbon/u);
});
