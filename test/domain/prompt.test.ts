import { describe, expect, test } from '@jest/globals';
import { estimateTokens, messageId, buildPrompt, type Turn } from '../../shared/domain/index.ts';

const answered = (question: string, text: string): Turn => ({
  message: messageId('1.0'),
  question,
  outcome: { kind: 'answered', text, finish: 'stop', model: 'model-a' },
});
const failed = (question: string): Turn => ({
  message: messageId('1.0'),
  question,
  outcome: { kind: 'failed', reason: 'server', text: '_The model had an internal error._' },
});

describe('the prompt', () => {
  test('contains the system prompt, the turns and the question', () => {
    expect(buildPrompt('Be kind.', [answered('Who are you?', 'Parley.')], 'And I?')).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', content: 'Parley.' },
      { role: 'user', content: 'And I?' },
    ]);
  });

  test('keeps a question without an answer, and leaves out the error message that people saw', () => {
    const prompt = buildPrompt('s', [failed('What is 2 + 2?')], 'Try again');
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(prompt[1]?.content).toBe('What is 2 + 2?');
    expect(JSON.stringify(prompt)).not.toContain('internal error');
  });

  test('begins with the previous prompt of the thread, so that the upstream can cache it', () => {
    const turns = [answered('a?', 'A.'), answered('b?', 'B.')];
    const first = buildPrompt('s', turns.slice(0, 1), 'b?');
    const second = buildPrompt('s', turns, 'c?');
    expect(second.slice(0, first.length)).toEqual(first);
  });
});

describe('the token estimate', () => {
  // Real counts of the o200k vocabulary, measured once for these texts.
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
