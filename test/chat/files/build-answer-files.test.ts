import { expect, test } from '@jest/globals';
import { offeredFiles } from '../../../shared/chat/display/answer-actions.ts';
import { buildAnswerFiles } from '../../../shared/chat/files/build-answer-files.ts';

const FENCE = '```';
const ANSWER = `First:\n${FENCE}python\nprint("a")\n${FENCE}\nthen\n${FENCE}\n~~~\nplain\n${FENCE}\n${FENCE}ts\n${FENCE}\n~~~~go\nx\n~~~~\n${FENCE}js\nnot closed`;

test('code is one file for each closed block, with the ending and the snippet type of its language', () => {
  expect(buildAnswerFiles({ text: ANSWER }, 'code')).toEqual([
    { name: 'code-1.py', mimetype: 'text/plain', text: 'print("a")\n', snippetType: 'python' },
    { name: 'code-2.txt', mimetype: 'text/plain', text: '~~~\nplain\n', snippetType: 'text' },
    { name: 'code-3.go', mimetype: 'text/plain', text: 'x\n', snippetType: 'go' },
  ]);
  const many = `${FENCE}\na\n${FENCE}\n`.repeat(9);
  expect(buildAnswerFiles({ text: many }, 'code')).toHaveLength(5);
  expect(buildAnswerFiles({ text: ANSWER }, 'text')).toEqual([
    { name: 'answer.md', mimetype: 'text/markdown', text: ANSWER },
  ]);
});

test.each([
  [
    'a numbered list',
    '1. Create it:\n\n   ```python\n   import os\n   def f():\n       pass\n\n   x\n   ```\n2. Run it.',
  ],
  ['a list with two digits', '10. ```python\n    import os\n    def f():\n        pass\n\n    x\n    ```'],
  [
    'a nested list with tabs',
    '- a\n\t- b\n\t  ```python\n\t  import os\n\t  def f():\n\t\t  pass\n\n\t  x\n\t  ```',
  ],
  ['a quotation', '> ```python\n> import os\n>def f():\n>     pass\n>\n> x\n> ```'],
  ['a list that ends', '- ```python\n  import os\n  def f():\n      pass\n\n  x\nText'],
])('the code of %s has no indentation of the list or quotation', (_, text) => {
  expect(buildAnswerFiles({ text }, 'code').map((file) => file.text)).toEqual([
    'import os\ndef f():\n    pass\n\nx\n',
  ]);
});

const code = (lines: number) => `${FENCE}\n${'x\n'.repeat(lines)}${FENCE}`;
const layers = (answerFiles: 'off' | 'all') => ({ person: { values: { answerFiles } } });

test('long answers and long code are offered as files by default; the setting offers all, or nothing', () => {
  const short = { text: code(14) };
  const long = { text: `${code(15)}\n${'x'.repeat(4_000)}` };
  expect(offeredFiles(short, {}, false)).toEqual([]);
  expect(offeredFiles({ text: code(15) }, {}, false)).toEqual(['code']);
  expect(offeredFiles({ text: 'x'.repeat(3_999) }, {}, false)).toEqual([]);
  expect(offeredFiles(long, {}, false)).toEqual(['text', 'code']);
  expect(offeredFiles(short, layers('all'), false)).toEqual(['text', 'code']);
  expect(offeredFiles({ text: 'x' }, layers('all'), false)).toEqual(['text']);
  expect(offeredFiles(long, layers('off'), true)).toEqual([]);
  expect(offeredFiles(long, {}, true)).toEqual(['text', 'canvas', 'code']);
  expect(offeredFiles({ text: code(15) }, {}, true)).toEqual(['code']);
});
