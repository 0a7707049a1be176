import { describe, expect, test } from '@jest/globals';
import type { ButtonAction } from '../../../../shared/domain/index.ts';
import {
  serializeButton,
  parseButtonValue,
} from '../../../../shared/platforms/slack/blocks/answer-blocks.ts';
import { QUESTION, turn } from '../fake-slack.ts';

const at = '1700000009.000001';

test.each<ButtonAction>([
  { kind: 'stop' },
  { kind: 'feedback', good: true },
  { kind: 'feedback', good: false },
  { kind: 'regenerate' },
  { kind: 'regenerate', model: 'glyph-7 "quoted"' },
  { kind: 'continue' },
])('the value of a button is parsed to what it was built from: %j', (action) => {
  const first = serializeButton(turn, action);
  const third = serializeButton(turn, action, 2);
  expect(first.action_id).toBe(`parley:${action.kind}`);
  expect(third.action_id).not.toBe(first.action_id);
  for (const button of [first, third]) {
    expect(parseButtonValue({ type: 'button', action_ts: at, ...button })).toEqual({
      root: QUESTION,
      message: QUESTION,
      action,
      at,
    });
  }
});

const other = (fields: object) => JSON.stringify({ t: QUESTION, m: QUESTION, ...fields });

describe('an invalid button value is not parsed:', () => {
  const good = { action_ts: at, ...serializeButton(turn, { kind: 'stop' }) };
  test.each<[string, unknown]>([
    ['not an object', undefined],
    ['a button of another app', { ...good, action_id: 'other:stop' }],
    ['an action id with a suffix', { ...good, action_id: 'parley:stop:x' }],
    ['a value of another kind', { ...good, action_id: 'parley:continue' }],
    ['not JSON', { ...good, value: '{' }],
    ['an unknown kind', { ...good, action_id: 'parley:pay', value: other({ kind: 'pay' }) }],
    ['a malformed message id', { ...good, value: JSON.stringify({ t: QUESTION, m: 'a#b', kind: 'stop' }) }],
    ['an extra field', { ...good, value: other({ kind: 'stop', by: 'U1' }) }],
    [
      'a model of 257 characters',
      { action_ts: at, ...serializeButton(turn, { kind: 'regenerate', model: 'm'.repeat(257) }) },
    ],
    ['a value over 2,000 characters', { ...good, value: `${good.value}${' '.repeat(2_000)}` }],
    ['no timestamp', serializeButton(turn, { kind: 'stop' })],
  ])('%s', (_, pressed) => expect(parseButtonValue(pressed)).toBeUndefined());
  test('the unchanged value is parsed', () => expect(parseButtonValue(good)).toBeDefined());
});
