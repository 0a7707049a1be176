import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { renderBody } from '../../../shared/platforms/slack/blocks/answer-blocks.ts';
import { renderTable } from '../../../shared/platforms/slack/blocks/table-block.ts';
import { sanitize } from '../../../shared/platforms/markdown/sanitizer.ts';
import {
  inBytes,
  closeOpenBlocks,
  splitIntoRanges,
  split,
} from '../../../shared/platforms/markdown/split.ts';
import { splitCells, findTableAround, tablesIn } from '../../../shared/platforms/markdown/tables.ts';
import { visibleContent } from './fake-content.ts';

const head = '| Head | Line |\n| --- | --- |\n';
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `| a${from + n} | b${from + n} |\n`).join('');
const body = (text: string) => renderBody({ text, steps: [], under: [] }, 1);

const cells = (line: string) => {
  const [table] = tablesIn(
    `${'| h '.repeat(splitCells(line).length)}|\n${'| - '.repeat(splitCells(line).length)}|\n${line}\n`,
  );
  return JSON.stringify(table && renderTable(table)?.block['rows']);
};

describe('a table is found', () => {
  test.each([
    ['between paragraphs', `Text\n\n${head}${rows(0, 2)}\nText | text`, 2],
    ['directly after a line of text', `Text:\n${head}${rows(0, 1)}`, 1],
    ['without outer bars', 'a | b\n:-: | -\n1 | 2\n', 1],
    ['with no rows', head, 0],
    ['that is incomplete', `${head}| a`, 1],
  ])('%s', (_, text, count) => {
    expect(tablesIn(text).map((table) => table.rows.length)).toEqual([count]);
  });

  test.each([
    ['code', `\`\`\`\n${head}${rows(0, 2)}\`\`\``],
    ['a list', `- item\n  ${head.replace('\n', '\n  ')}  ${rows(0, 1)}`],
    ['a quotation', `> ${head.replace('\n', '\n> ')}> ${rows(0, 1)}`],
    ['a heading', '# a | b\n- | -\n'],
    ['with a wrong number of dashes', '| a | b |\n| - |\n| 1 | 2 |\n'],
    ['a paragraph', 'this | that\nor | not\n'],
  ])('not in %s', (_, text) => {
    expect(tablesIn(text)).toEqual([]);
  });

  test('with its cells, whatever they contain', () => {
    expect(splitCells('| a \\| b | | `c` |')).toEqual(['a \\| b', '', '`c`']);
    expect(splitCells('a | b')).toEqual(['a', 'b']);
    expect(splitCells('| a | |')).toEqual(['a', '']);
  });
});

describe('a table block', () => {
  test.each([
    ['plain words', '| 2 * 3 * 4, snake_case_name |', '"text":"2 * 3 * 4, snake_case_name"'],
    ['a bar', '| a \\| b |', '{"type":"raw_text","text":"a | b"}'],
    ['an empty cell', '| |', '{"type":"raw_text","text":" "}'],
    ['bold', '| **x** y |', '[{"type":"text","text":"x","style":{"bold":true}},{"type":"text","text":" y"}]'],
    [
      'italics',
      '| _x_ *y* |',
      '"style":{"italic":true}},{"type":"text","text":" "},{"type":"text","text":"y"',
    ],
    ['struck', '| ~~x~~ |', '{"strike":true}'],
    ['a bar in code', '| `a \\| b` |', '{"type":"text","text":"a | b","style":{"code":true}}'],
    ['code', '| `a*b*` |', '{"type":"text","text":"a*b*","style":{"code":true}}'],
    ['a link', '| [x](https://a.example/b) |', '{"type":"link","url":"https://a.example/b","text":"x"}'],
    ['a link with an invalid URL', '| [x](javascript:alert) |', '"text":"[x](javascript:alert)"'],
    ['a line break', '| a<br>b |', '"text":"a\\nb"'],
  ])('shows %s', (_, line, expected) => expect(cells(line)).toContain(expected));

  test('has no more than 100 rows; the rest follows as Markdown, with the header again', () => {
    const text = `${head}${rows(0, 150)}\nThe end.`;
    const content = visibleContent(body(text));
    expect(content.tables).toBe(1);
    expect(content.text.replace(/\n+/g, '\n')).toBe(`${head}${rows(0, 99)}${head}${rows(99, 150)}The end.`);
  });

  test.each([
    ['of more than 20 columns', `${'| a '.repeat(21)}|\n${'| - '.repeat(21)}|\n${'| 1 '.repeat(21)}|\n`],
    ['without rows', head],
    ['with a row that is too large', `${head}| ${'x'.repeat(9_500)} | b |\n`],
  ])('is not made from a table %s', (_, text) => {
    expect(body(text)).toEqual({ markdown_text: text });
  });

  test('keeps extra cells of a row', () => {
    expect(visibleContent(body(`${head}| 1 | 2 | 3 |\n`)).text).toContain('| 1 | 2 | 3 |');
  });
});

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const row = fc.tuple(word, word).map(([a, b]) => `| ${a} | ${b} |\n`);
const piece = fc.oneof(
  { weight: 2, arbitrary: fc.array(word, { maxLength: 30 }).map((words) => `${words.join(' ')}\n\n`) },
  { weight: 2, arbitrary: fc.array(row, { maxLength: 12 }).map((all) => `\n${head}${all.join('')}\n`) },
  fc.constantFrom('```\n', '- item\n', '| loose | bars |\n', '> quoted | bars\n', '\n'),
);
const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
const plain = (words: string) => words.replace(/\s+/g, '');

test('the blocks of a message have the text of its Markdown, in order', () => {
  fc.assert(
    fc.property(text, (whole) => {
      fc.pre(whole.trim() !== '');
      const content = visibleContent(body(whole));
      expect(plain(content.text)).toBe(plain(whole));
    }),
    { numRuns: 500 },
  );
});

test('no cut divides a table that fits into a message; otherwise its header is repeated', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 300, max: 600 }), (whole, max) => {
      const limit = inBytes(max);
      const cuts = splitIntoRanges(whole, limit);
      expect(cuts.map(({ from, to }) => whole.slice(from, to)).join('')).toBe(whole);
      for (const cut of cuts) {
        expect(Buffer.byteLength(closeOpenBlocks(whole, cut, limit))).toBeLessThanOrEqual(max);
        const table = findTableAround(whole, cut.from);
        if (!table) continue;
        expect(table.end - table.start).toBeGreaterThan(max - 120);
        expect(closeOpenBlocks(whole, cut, limit)).toMatch(/^\| Head \| Line \|\n\| --- \| --- \|\n\|/);
      }
    }),
    { numRuns: 500 },
  );
});

test('a table that is too large for a message is split between rows', () => {
  const parts = split(`Words before.\n\n${head}${rows(0, 60)}`, inBytes(300));
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part).toContain(head);
  expect(parts.join('').replaceAll(head, '')).toBe(`Words before.\n\n${rows(0, 60)}`);
});

test('hostile tables do no harm', () => {
  const cell = '*a _b ~~c **d `e [f](<g '.repeat(20);
  const hostile =
    `${'|'.repeat(3_000)}\n${'|-'.repeat(3_000)}\n| <!channel> <@U1> @here | ${cell} |\n`.repeat(3);
  const [expected] = split(sanitize(`${head}${hostile}`), inBytes(10_000));
  const written = JSON.stringify(body(expected ?? ''));
  expect(written).not.toMatch(/<!channel|<@U1|[^\w]@here/);
});
