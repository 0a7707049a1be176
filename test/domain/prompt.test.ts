import { describe, expect, test } from '@jest/globals';
import { estimateTokens, messageId, promptFor, type Turn } from '../../shared/domain/index.ts';

const answered = (question: string, text: string): Turn => ({
  message: messageId('1.0'),
  question,
  ending: { kind: 'answered', text, finish: 'stop', model: 'model-a' },
});
const failed = (question: string): Turn => ({
  message: messageId('1.0'),
  question,
  ending: { kind: 'failed', reason: 'server', text: '_The model had an error of its own._' },
});

describe('the prompt', () => {
  test('is the system prompt, the turns, the question', () => {
    expect(promptFor('Be kind.', [answered('Who are you?', 'Parley.')], 'And I?')).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', content: 'Parley.' },
      { role: 'user', content: 'And I?' },
    ]);
  });

  test('a question that got no answer stays in it, and what people were told of the failure does not', () => {
    const prompt = promptFor('s', [failed('What is 2 + 2?')], 'Try again');
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(prompt[1]?.content).toBe('What is 2 + 2?');
    expect(JSON.stringify(prompt)).not.toContain('error of its own');
  });

  test('each prompt of a thread begins with the one before it, so that the upstream can cache it', () => {
    const turns = [answered('a?', 'A.'), answered('b?', 'B.')];
    const first = promptFor('s', turns.slice(0, 1), 'b?');
    const second = promptFor('s', turns, 'c?');
    expect(second.slice(0, first.length)).toEqual(first);
  });
});

describe('the estimate of tokens', () => {
  // Real counts by the o200k vocabulary, taken once for these texts.
  test.each([
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['Wie spät ist es gerade in Berlin, und regnet es dort?', 14],
    ['東京の天気はどうですか。', 9],
    ['const answer = await ask(question, { deadline: 5000 });', 14],
  ])('is not below, and not above thrice, the count of %s', (text, tokens) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(estimateTokens(text)).toBeLessThanOrEqual(3 * tokens);
  });

  test('counts a long link by its bytes', () => {
    const link = `https://example.com/${'a1b2c3d4'.repeat(20)}`;
    expect(estimateTokens(link)).toBeGreaterThanOrEqual(link.length / 3);
  });
});
