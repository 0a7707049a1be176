import { expect, test } from '@jest/globals';
import type { TurnOutcome } from '../../../shared/domain/index.ts';
import { listCitedSources } from '../../../shared/chat/display/answer-actions.ts';
import { runWithTimeLimit } from '../../simulators/time-limit.ts';

const sourceOf = (number: number) => ({
  number,
  title: `Page ${number}`,
  url: `https://example.com/${number}`,
});
const search = (...numbers: number[]) => ({
  tool: 'web_search',
  source: 'search',
  ms: 1,
  outcome: 'done' as const,
  search: { query: 'q', results: numbers.map(sourceOf) },
});
const answered = (
  text: string,
  more: Partial<Extract<TurnOutcome, { kind: 'answered' }>> = {},
): TurnOutcome => ({
  kind: 'answered',
  text,
  finish: 'stop',
  model: 'm',
  toolCalls: [search(1, 2, 3), search(4, 5)],
  ...more,
});
const cited = (outcome: TurnOutcome) => listCitedSources(outcome).map(({ number }) => number);

test.each<[string, number[]]>([
  ['It is so [2].', [2]],
  ['So [5], and so [1][3].', [1, 3, 5]],
  ['So [1, 4].', [1, 4]],
  ['So [2-4].', [2, 3, 4]],
  ['So [2–3; 5].', [2, 3, 5]],
  ['So 【2】 and 【4†source】.', [2, 4]],
  ['As [1](https://evil.example) says.', [1]],
  ['None of them.', []],
  ['[6] [0] [999] [1a] [-1] [] [1.2]', []],
  ['From [1990-2030].', []],
  ['`list[1]` and\n```js\nlist[2]\n```\nand [3]', [3]],
  ['An open fence\n```\nlist[2]', []],
])('%j cites %j', (text, numbers) => {
  expect(cited(answered(text))).toEqual(numbers);
});

test('the words of the bot below an answer cite nothing', () => {
  const notice = '\n\n_Stopped [2]._';
  expect(cited(answered(`So [1].${notice}`, { closing: notice.length }))).toEqual([1]);
});

test('without a search numbers in brackets are only numbers, and a failure cites nothing', () => {
  expect(cited(answered('So [1].', { toolCalls: undefined }))).toEqual([]);
  const failed: TurnOutcome = { kind: 'failed', reason: 'r', text: '[1]', toolCalls: [search(1)] };
  expect(cited(failed)).toEqual([]);
});

test('a hostile text takes no longer than its length', () => {
  const texts = ['['.repeat(200_000), '[1,'.repeat(70_000), '`'.repeat(200_001), '【1†'.repeat(50_000)];
  for (const text of texts) runWithTimeLimit(() => expect(cited(answered(text))).toEqual([]));
});
