import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { toCanvasMarkdown } from '../../../../shared/platforms/slack/canvases/canvas-markdown.ts';
import { runWithTimeLimit } from '../../../simulators/time-limit.ts';
import { refusedContent } from '../../../simulators/slack/canvas-content.ts';

const FENCE = '```';

test.each([
  ['headings have three levels', '#### Deep\n###### Deeper', '### Deep\n### Deeper'],
  ['a quotation of paragraphs stays', '> one\n> two', '> one\n> two'],
  ['a quotation with a list becomes its list', '> Note:\n> - a\n> - b', 'Note:\n- a\n- b'],
  ['quotations are not nested', '> > a', 'a'],
  ['a quotation with code becomes its code', `> ${FENCE}js\n> x\n> ${FENCE}`, `${FENCE}js\nx\n${FENCE}`],
  ['a list has one kind', '1. a\n   - b\n     1. c', '1. a\n   1. b\n      1. c'],
  ['a list has no quotations and headings', '- > a\n- # b', '- a\n- b'],
  [
    'a list has at most six levels',
    '- a\n - b\n  - c\n   - d\n    - e\n     - f\n      - g',
    '- a\n  - b\n    - c\n      - d\n        - e\n          - f\n          - g',
  ],
  [
    'code stands at the margin',
    `- a\n  ${FENCE}\n  x\n    y\n  ${FENCE}\n- b`,
    `- a\n\n${FENCE}\nx\n  y\n${FENCE}\n- b`,
  ],
  ['a table stands at the margin', '- a\n  | b |\n  |---|\n  | c |', '- a\n\n| b |\n|---|\n| c |'],
  ['HTML is text', '<b>x</b> `<b>` <https://a.example>', '\\<b>x\\</b> `<b>` <https://a.example>'],
  [
    'text from right to left and other letters stay',
    'مرحبا **بكم**\n\n- 一\n- שתיים',
    'مرحبا **بكم**\n\n- 一\n- שתיים',
  ],
  [
    'code stays as it is',
    `${FENCE}md\n#### a\n> - b\n<b>\n| c |\n${FENCE}`,
    `${FENCE}md\n#### a\n> - b\n<b>\n| c |\n${FENCE}`,
  ],
])('%s', (_, markdown, canvas) => {
  expect(toCanvasMarkdown(markdown).replaceAll(/\n{3,}/gu, '\n\n')).toBe(canvas);
  expect(refusedContent(canvas)).toBeUndefined();
});

test('nobody is mentioned, and no picture is loaded', () => {
  const text = toCanvasMarkdown(
    '![](@U1) ![a](#C1) [b](@U1) <@U1> <!here> ![c](https://evil.example/p.png) @channel',
  );
  expect(text).not.toMatch(/!\[|\]\([@#]|<[@!]|@channel/u);
  expect(text).toContain('[c](https://evil.example/p.png) (evil.example)');
});

test('a table of more than 300 cells becomes several with the same header', () => {
  const rows = Array.from({ length: 250 }, (_, row) => `| ${row} | b | c |`);
  const canvas = toCanvasMarkdown(['| A | B | C |', '|---|---|---|', ...rows].join('\n'));
  expect(canvas.match(/\| A \| B \| C \|/gu)).toHaveLength(3);
  expect(rows.every((row) => canvas.split('\n').includes(row))).toBe(true);
  expect(refusedContent(canvas)).toBeUndefined();
  const wide = [
    Array.from({ length: 200 }, () => '| a ').join(''),
    Array.from({ length: 200 }, () => '|-').join(''),
  ].join('\n');
  expect(toCanvasMarkdown(`${wide}\n${wide}`)).toMatch(/^```\n\| a /u);
});

test('a long text takes time in proportion to its length', () => {
  const hostile = [
    '\\'.repeat(100_000),
    '`<'.repeat(10_000),
    '](  '.repeat(10_000),
    '> '.repeat(10_000),
  ].join('\n');
  runWithTimeLimit(() => expect(refusedContent(toCanvasMarkdown(hostile))).toBeUndefined());
});

test('Slack accepts whatever a model writes, and its code is kept', () => {
  const line = fc.constantFrom(
    '',
    '# a',
    '##### b',
    '> c',
    '> - d',
    '>> e',
    '> ```',
    '```',
    '```js',
    '   ```',
    '- f',
    '  - g',
    '    1. h',
    '1. i',
    '   > j',
    '  # k',
    '- > l',
    '- # m',
    '| n | o |',
    '|---|---|',
    '  | p | q |',
    '<div>',
    '</div>',
    '---',
    '* * *',
    '![](@U1)',
    '[r](@U1)',
    '\ts',
    '~~~',
    '- ```',
    '1) t',
    '`<u>`',
    '\\<v',
    '<w',
    'x\\',
    '-',
    '*',
    '+ y',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
      const canvas = toCanvasMarkdown(lines.join('\n'));
      const prose = canvas.replaceAll(/```[^]*?```/gu, '');
      expect([refusedContent(canvas), prose.includes('](@')]).toEqual([undefined, false]);
    }),
    { numRuns: 300 },
  );
  const code = '- a\n    > b\n<c> ![d](@U1)\n#### e\n';
  expect(toCanvasMarkdown(`> quote\n\n${FENCE}\n${code}${FENCE}\n- z`)).toContain(
    `${FENCE}\n${code}${FENCE}`,
  );
});
