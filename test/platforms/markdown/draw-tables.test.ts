import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { drawHeadings } from '../../../shared/platforms/markdown/draw-headings.ts';
import { drawTables, getSettledLength } from '../../../shared/platforms/markdown/draw-tables.ts';

const table = '| Name | Size |\n| --- | ---: |\n| a | 1 |\n| 名前 | 22 |\n';

/** The first drawn cell of a table with this cell and a bar behind it. */
const drawCell = (cell: string) =>
  drawTables(`| A | B |\n| --- | --- |\n| ${cell} | \\| |\n`).text.split('\n')[3];

const draw = (text: string) => drawHeadings(drawTables(text).text);

describe('drawn tables', () => {
  test('have columns of one width, also for wide letters', () => {
    const { text, files } = drawTables(`Before\n\n${table}\nAfter`);
    expect(text).toBe('Before\n\n```\nName  Size\n────  ────\na        1\n名前    22\n```\n\nAfter');
    expect(files).toEqual([]);
  });

  test.each([
    ['`__init__`', '__init__  |'],
    ['snake__case and 2**8, 3**2', 'snake__case and 2**8, 3**2  |'],
    ['**kwargs and **args', '**kwargs and **args  |'],
    ['`a**b` or `x \\| y`', 'a**b or x | y  |'],
    ['**bold `__x__`** ~~old~~ __u__', 'bold __x__ old u  |'],
    ['**both ~~of~~ them**', 'both of them  |'],
    ['a\\*b<br>c', 'a*b c  |'],
    ['`a<br>\\*`', 'a<br>\\*  |'],
  ])('have no markup, and the code and numbers of their cells as they are: %s', (cell, drawn) => {
    expect(drawCell(cell)).toBe(drawn);
  });

  test('as files have code as it is too', () => {
    const wide = `| A | B |\n| --- | --- |\n| \`__name__\`, 2**8 | ${'x'.repeat(90)} |\n`;
    expect(drawTables(wide).files[0]?.csv).toBe(`A,B\r\n"__name__, 2**8",${'x'.repeat(90)}`);
  });

  test.each([
    ['⚠️', 'ab'],
    ['👩‍💻', 'ab'],
    ['1️⃣', 'ab'],
    ['ก็', 'a'],
    ['e\u0301', 'a'],
    ['\u1112\u1161\u11ab', 'ab'],
    ['می‌خ', 'abc'],
  ])('align %s with letters of the same width', (cell, letters) => {
    const { text } = drawTables(`| A | B |\n| --- | --- |\n| ${cell} | x |\n| ${letters}c | x |\n`);
    expect(text.split('\n')[3]).toBe(`${cell}   x`);
  });

  test('that are too wide also become files, without formulas in cells', () => {
    const wide = `| A | B |\n| --- | --- |\n| =1+1 | ${'x'.repeat(90)}, "y" |\n`;
    expect(drawTables(wide).files).toEqual([
      { name: 'table-1.csv', csv: `A,B\r\n'=1+1,"${'x'.repeat(90)}, ""y"""` },
    ]);
  });

  test.each([
    [
      'one cell that would widen all rows',
      `| ${'x'.repeat(4_000)} | b |\n|---|---|\n${'| a | b |\n'.repeat(500)}`,
    ],
    ['as many columns as rows', `|${'a|'.repeat(2_000)}\n|${'-|'.repeat(2_000)}\n${'|a|\n'.repeat(2_000)}`],
  ])('that would grow a hundredfold become files: %s', (_, hostile) => {
    const { text, files } = drawTables(hostile);
    expect(text).toBe(hostile);
    expect(files.map(({ csv }) => csv.length < 2 * hostile.length)).toEqual([true]);
  });

  test('tables in code are not drawn', () => {
    const code = `\`\`\`\n${table}\`\`\`\n`;
    expect(drawTables(code).text).toBe(code);
  });

  test('settled text is drawn the same, however the text continues', () => {
    const piece = fc.constantFrom(
      'words ',
      '\n',
      '\n\n',
      '| a | b |\n',
      '| --- | --- |\n',
      '| 1 | 22 |\n',
      'a | b',
      '```\n',
      '####',
      '#',
      ' ',
      '---',
      '- ',
      '* ',
      '**bold**',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), fc.nat(80), (pieces, at) => {
        const whole = pieces.join('');
        const early = whole.slice(0, at);
        // Text that turns out to be the header of a table without a leading bar: it was shown, and is replaced.
        const [openText = ''] = early.split('\n').slice(-1);
        const [line = ''] = whole.slice(early.length - openText.length).split('\n');
        fc.pre(openText === '' || openText.includes('|') || !line.includes('|'));
        const drawn = draw(early.slice(0, getSettledLength(early)));
        expect(draw(whole).startsWith(drawn)).toBe(true);
      }),
      {
        examples: [
          [['| 1 | 22 |\n', '| a | b |\n', '| --- | --- |\n', '| a | b |\n'], 22],
          [['| 1 | 22 |\n', '| --- | --- |\n', '| 1 | 22 |\n', 'words '], 37],
        ],
        numRuns: 3_000,
      },
    );
  });
});
