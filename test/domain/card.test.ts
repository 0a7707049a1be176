import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { formatMention, serializeAction, parseAction } from '../../shared/domain/index.ts';

test('parseAction returns the action that was serialized, whatever its arguments contain', () => {
  const arg = fc.string({ unit: 'binary', maxLength: 8 });
  fc.assert(
    fc.property(fc.array(arg, { minLength: 1, maxLength: 1 }), (args) => {
      const action = { name: 'a.b', args };
      const text = serializeAction(action);
      expect(text).not.toMatch(/[\s<>&"]/u);
      expect(parseAction(text)).toEqual(action);
    }),
  );
});

test('an action fits as many Chinese, Japanese or Korean characters as Latin ones, and throws when it is too long', () => {
  for (const question of [
    '为什么天空在白天是蓝色的，而在傍晚变成红色？',
    'どうして空は青いのですか、もう少し詳しく教えてください。',
    '하늘은 왜 파란색인가요? 조금 더 자세히 알려 주세요.',
  ]) {
    const action = { name: 'follow.ask', args: [question] };
    expect(parseAction(serializeAction(action))).toEqual(action);
  }
  expect(() => serializeAction({ name: 'follow.ask', args: ['长'.repeat(100)] })).toThrow(RangeError);
});

test('people, groups and channels are mentions; an integration, which no platform knows, is a text', () => {
  expect(['U1', '&S1', '#C1', 'api_0123456789abcdef'].map(formatMention)).toEqual([
    '<@U1>',
    '<@&S1>',
    '<#C1>',
    '`api_0123456789abcdef`',
  ]);
});
