import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { renderHead, renderQuote } from '../../../../shared/platforms/discord/blocks/answer-components.ts';
import { cleanStep } from '../../../../shared/platforms/live-answer/index.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 3_000 }),
  fc.constantFrom('*'.repeat(3_000), 'W'.repeat(3_000), 'two\nlines'),
);
const step = fc.record({
  id: fc.string(),
  title: text,
  state: fc.constantFrom('running', 'done', 'failed'),
  details: fc.option(text, { nil: undefined }),
});

test('the components above the text leave room for it, whatever they contain', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), text, (steps, question) => {
      const head = renderHead(steps.map(cleanStep), { locale: 'de', quote: renderQuote(question) });
      expect(head.length).toBeLessThan(1_450);
      expect(head === '' || head.endsWith('\n')).toBe(true);
    }),
  );
});

test.each([
  ['# of users last month?', String.raw`\# of users last month?`],
  ['### One\n\nTwo', String.raw`\### One Two`],
  ['-# small', String.raw`\-# small`],
  ['- one', String.raw`\- one`],
  ['* one', String.raw`\* one`],
  ['>>> all', String.raw`\>>> all`],
  ['#general -5 a # b', '#general -5 a # b'],
])('the question %j is quoted as it was typed', (question, quoted) => {
  expect(renderQuote(question)).toBe(`> ${quoted}\n`);
});
