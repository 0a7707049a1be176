import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { actionText, parseAction } from '../../shared/domain/index.ts';

test('an action is read as it was written, whatever is in it', () => {
  const arg = fc.string({ unit: 'binary', maxLength: 8 });
  fc.assert(
    fc.property(fc.array(arg, { minLength: 1, maxLength: 1 }), (args) => {
      const action = { name: 'a.b', args };
      const text = actionText(action);
      expect(text).not.toMatch(/[\s<>&"]/u);
      expect(parseAction(text)).toEqual(action);
    }),
  );
});

test('a question in Chinese, Japanese or Korean fits as one in Latin letters does, and what is too long is refused', () => {
  for (const question of [
    '为什么天空在白天是蓝色的，而在傍晚变成红色？',
    'どうして空は青いのですか、もう少し詳しく教えてください。',
    '하늘은 왜 파란색인가요? 조금 더 자세히 알려 주세요.',
  ]) {
    const action = { name: 'follow.ask', args: [question] };
    expect(parseAction(actionText(action))).toEqual(action);
  }
  expect(() => actionText({ name: 'follow.ask', args: ['长'.repeat(100)] })).toThrow(RangeError);
});
