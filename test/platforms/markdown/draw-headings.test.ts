import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { drawHeadings } from '../../../shared/platforms/markdown/draw-headings.ts';

test.each([
  ['#### Step 2\nText', '**Step 2**\nText'],
  ['###### A **b** `c` ##', '**A b `c`**'],
  ['##### *Note*', '***Note***'],
  ['1. #### One\n   #### Two\n> #### Three', '1. **One**\n   **Two**\n> **Three**'],
  ['#### `a**b`', '`a**b`'],
  ['#### C:\\', 'C:\\'],
  ['a\n\n---\n\nb\n* * *\n___', 'a\n\n───\n\nb\n───\n───'],
  ['# One\n## Two\n### Three\n####Four\n#### \n--', '# One\n## Two\n### Three\n####Four\n#### \n--'],
  ['```md\n#### a\n---\n```\n#### b', '```md\n#### a\n---\n```\n**b**'],
])('of %j Discord shows %j', (text, drawn) => {
  expect(drawHeadings(text)).toBe(drawn);
});

test('a text does not grow', () => {
  const piece = fc.constantFrom(
    '#### ',
    '#####',
    ' ',
    'x',
    '**',
    '---',
    '* * *',
    '\n',
    '`',
    '- ',
    '> ',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      expect(drawHeadings(text).length).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 2_000 },
  );
});
