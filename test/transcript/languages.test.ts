import { describe, expect, test } from '@jest/globals';
import { joinChunks, renderSrt, renderVtt } from '../../shared/transcript/index.ts';

/** A piece whose words are said one each half a second. */
function chunkOf(n: number, text: string, words: readonly string[]) {
  const times = words.map((word, i) => ({ start: i / 2, end: i / 2 + 0.4, text: word }));
  return { n, fromMs: n * 25_000, toMs: (n + 1) * 25_000, text, words: times };
}

test.each([
  ['Arabic', 'ماذا قلت؟ لم أسمع شيئا.', ['ماذا قلت؟', 'لم أسمع شيئا.']],
  ['Urdu', 'یہ کیا ہے؟ مجھے نہیں معلوم۔ ٹھیک ہے۔', ['یہ کیا ہے؟', 'مجھے نہیں معلوم۔', 'ٹھیک ہے۔']],
  ['Hindi', 'यह क्या है? मुझे नहीं पता। ठीक है।', ['यह क्या है?', 'मुझे नहीं पता।', 'ठीक है।']],
  ['Hebrew', 'מה אמרת? לא שמעתי.', ['מה אמרת?', 'לא שמעתי.']],
])('%s has sentences', (_, text, sentences) => {
  const { sentences: spokenSentences } = joinChunks([chunkOf(0, text, text.split(' '))]);
  expect(spokenSentences.map((one) => one.text)).toEqual(sentences);
});

describe('scripts without spaces', () => {
  test('are joined without spaces, characters of four bytes too', () => {
    expect(joinChunks([chunkOf(0, '牛丼は𠮷', []), chunkOf(1, '𠮷野家', [])]).text).toBe('牛丼は𠮷𠮷野家');
  });

  test('are split into readable cues', () => {
    const letters = '今日はいい天気ですね'.repeat(20).split('');
    const { sentences, text } = joinChunks([chunkOf(0, letters.join(''), letters)]);
    expect(sentences.map((one) => one.text).join('')).toBe(text);
    expect(Math.max(...sentences.map((one) => one.text.length))).toBeLessThanOrEqual(100);
  });
});

test('no text ends a cue early, and times are whole numbers', () => {
  const cue = { fromMs: 1_999.6, toMs: 4_000.4, text: 'one\r\rtwo\u2028\u2028three\n\nfour' };
  expect(renderVtt([cue])).toBe('WEBVTT\n\n00:00:02.000 --> 00:00:04.000\none two three four\n');
  expect(renderSrt([cue])).toBe('1\n00:00:02,000 --> 00:00:04,000\none two three four\n');
});
