import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { type TranscribedChunk, joinChunks } from '../../shared/transcript/index.ts';

const piece = (n: number, text: string, words: TranscribedChunk['words'] = []): TranscribedChunk => ({
  n,
  fromMs: n * 25_000,
  toMs: n * 25_000 + 24_000,
  text,
  words,
});
/** Words said one a second, from a moment on. */
const wordsOf = (text: string, from = 0) =>
  text
    .split(' ')
    .map((word, n) => ({ start: from + n, end: from + n + 0.5, text: word.replaceAll(/[.,!?]/gu, '') }));

describe('a transcript', () => {
  test('has sentences with the times of the recording', () => {
    const one = 'Good morning, all. Shall we begin?';
    const two = 'I had 3. 5 would do.';
    expect(joinChunks([piece(0, one, wordsOf(one, 1)), piece(1, two, wordsOf(two))]).sentences).toEqual([
      { fromMs: 1000, toMs: 3500, text: 'Good morning, all.' },
      { fromMs: 4000, toMs: 6500, text: 'Shall we begin?' },
      { fromMs: 25_000, toMs: 30_500, text: 'I had 3. 5 would do.' },
    ]);
  });

  test('continues a sentence over a chunk boundary', () => {
    const [left, right] = [{ ...piece(0, 'This goes'), toMs: 25_000 }, piece(1, 'on and on.')];
    const close = {
      ...left,
      words: [
        { start: 23, end: 23.5, text: 'This' },
        { start: 24, end: 25, text: 'goes' },
      ],
    };
    const on = { ...right, words: wordsOf('on and on.') };
    expect(joinChunks([close, on])).toEqual({
      text: 'This goes on and on.',
      sentences: [{ fromMs: 23_000, toMs: 27_500, text: 'This goes on and on.' }],
    });
  });

  test('has no spaces where the language has none', () => {
    expect(joinChunks([piece(0, '今日は'), piece(1, 'いい天気です。')]).text).toBe('今日はいい天気です。');
    expect(joinChunks([piece(0, '안녕하세요'), piece(1, '여러분')]).text).toBe('안녕하세요 여러분');
  });

  test('keeps the order of words whose times leave the chunk or run backwards', () => {
    const words = [
      { start: 5, end: 6, text: 'a' },
      { start: 2, end: 90, text: 'b' },
    ];
    expect(joinChunks([piece(0, 'a b', words)]).sentences).toEqual([
      { fromMs: 5000, toMs: 6000, text: 'a' },
      { fromMs: 6000, toMs: 24_000, text: 'b' },
    ]);
  });

  test('has the times of the chunk when the words differ from the text', () => {
    const words = wordsOf('quite another thing');
    expect(joinChunks([piece(0, 'One thing.', words)]).sentences).toEqual([
      { fromMs: 0, toMs: 24_000, text: 'One thing.' },
    ]);
  });

  const word = fc.stringMatching(/^[a-zé]{1,9}[.,?]?$/u);
  test('contains each word once, for any order and repetition of chunks', () => {
    const pieces = fc.array(fc.array(word, { maxLength: 40 }), { maxLength: 6 }).chain((texts) => {
      const all = texts.map((text, n) =>
        piece(n, text.join(' '), text.length > 0 ? wordsOf(text.join(' ')) : []),
      );
      const again = fc
        .subarray(all)
        .chain((more) => fc.shuffledSubarray([...all, ...more], { minLength: all.length + more.length }));
      return again.map((shuffled) => ({ shuffled, words: texts.flat() }));
    });
    fc.assert(
      fc.property(pieces, ({ shuffled, words }) => {
        const { text, sentences } = joinChunks(shuffled);
        expect(text.split(' ').filter(Boolean)).toEqual(words);
        expect(sentences.flatMap((sentence) => sentence.text.split(' '))).toEqual(words);
        const times = sentences.flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
    );
  });
});
