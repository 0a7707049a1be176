import { describe, expect, test } from '@jest/globals';
import type { Press } from '../../../shared/conversation/index.ts';
import { pressOf, readPress } from '../../../shared/platforms/slack/press.ts';
import { QUESTION, turn } from './fake-slack.ts';

const at = '1700000009.000001';

test.each<Press>([
  { kind: 'stop' },
  { kind: 'feedback', good: true },
  { kind: 'feedback', good: false },
  { kind: 'regenerate' },
  { kind: 'regenerate', model: 'glyph-7 "quoted"' },
  { kind: 'continue' },
])('what a button carries is read back: %j', (press) => {
  const first = pressOf(turn, press);
  const third = pressOf(turn, press, 2);
  expect(first.action_id).toBe(`parley:${press.kind}`);
  expect(third.action_id).not.toBe(first.action_id);
  for (const button of [first, third]) {
    expect(readPress({ type: 'button', action_ts: at, ...button })).toEqual({
      root: QUESTION,
      message: QUESTION,
      press,
      at,
    });
  }
});

const other = (fields: object) => JSON.stringify({ t: QUESTION, m: QUESTION, ...fields });

describe('nothing is read from', () => {
  const good = { action_ts: at, ...pressOf(turn, { kind: 'stop' }) };
  test.each<[string, unknown]>([
    ['no object', undefined],
    ['a button of another app', { ...good, action_id: 'other:stop' }],
    ['an id that goes on', { ...good, action_id: 'parley:stop:x' }],
    ['a value of another kind', { ...good, action_id: 'parley:continue' }],
    ['no JSON', { ...good, value: '{' }],
    ['an unknown kind', { ...good, action_id: 'parley:pay', value: other({ kind: 'pay' }) }],
    ['a message that is none', { ...good, value: JSON.stringify({ t: QUESTION, m: 'a#b', kind: 'stop' }) }],
    ['a field too many', { ...good, value: other({ kind: 'stop', by: 'U1' }) }],
    [
      'a model of 257 characters',
      { action_ts: at, ...pressOf(turn, { kind: 'regenerate', model: 'm'.repeat(257) }) },
    ],
    ['a value over 2,000 characters', { ...good, value: `${good.value}${' '.repeat(2_000)}` }],
    ['no moment', pressOf(turn, { kind: 'stop' })],
  ])('%s', (_, pressed) => expect(readPress(pressed)).toBeUndefined());
  test('while the untouched one is read', () => expect(readPress(good)).toBeDefined());
});
