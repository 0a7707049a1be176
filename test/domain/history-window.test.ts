import { describe, expect, test } from '@jest/globals';
import { array, assert, integer, property } from 'fast-check';
import {
  getMaxAnswerTokens,
  takeNewestQuarter,
  trimHistory,
  fitWindowToModel,
} from '../../shared/domain/index.ts';

const sized = (tokens: number, bytes = tokens) => ({ tokens, bytes });
const sum = (turns: readonly { tokens: number }[]) => turns.reduce((total, { tokens }) => total + tokens, 0);
const limit = { tokens: 100, bytes: 1_000 };

describe('trimHistory', () => {
  test('keeps all turns that fit', () => {
    const turns = [sized(30), sized(30), sized(40)];
    expect(trimHistory(turns, limit)).toEqual(turns);
    expect(trimHistory([], limit)).toEqual([]);
  });

  test('drops the oldest turns together, down to three fifths of the limit', () => {
    const turns = Array.from({ length: 11 }, () => sized(10));
    expect(trimHistory(turns, limit)).toHaveLength(6);
  });

  test('limits stored bytes as well as tokens', () => {
    const turns = Array.from({ length: 11 }, () => sized(1, 100));
    expect(trimHistory(turns, limit)).toHaveLength(6);
  });

  test('keeps the newest turn whatever its size', () => {
    expect(trimHistory([sized(10), sized(5_000)], limit)).toEqual([sized(5_000)]);
  });

  test('each prompt between two trims begins with the previous prompt', () => {
    const sizes = array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 });
    assert(
      property(sizes, (all) => {
        let window: { tokens: number; bytes: number }[] = [];
        let trims = 0;
        for (const tokens of all) {
          const before = [...window, sized(tokens)];
          window = trimHistory(before, limit);
          expect(before.slice(before.length - window.length)).toEqual(window);
          expect(window.at(-1)?.tokens).toBe(tokens);
          if (window.length < before.length) trims += 1;
        }
        // Each trim frees at least two fifths of the limit.
        expect(trims).toBeLessThanOrEqual(Math.ceil(all.reduce((a, b) => a + b, 0) / 40));
      }),
    );
  });
});

describe('a model with a small context', () => {
  test('leaves to the history what the question and the answer do not need', () => {
    const wide = { tokens: 8_000, bytes: 1_000 };
    expect(fitWindowToModel(wide, undefined, 5_000)).toEqual(wide);
    expect(fitWindowToModel(wide, 131_072, 5_000)).toEqual(wide);
    expect(fitWindowToModel(wide, 8_192, 1_000)).toEqual({ tokens: 8_192 - 2_048 - 1_000, bytes: 1_000 });
    expect(fitWindowToModel(wide, 8_192, 9_000).tokens).toBe(0);
    expect([getMaxAnswerTokens(8_192), getMaxAnswerTokens(131_072)]).toEqual([2_048, 4_096]);
    expect([getMaxAnswerTokens(8_192, 20_000), getMaxAnswerTokens(131_072, 20_000)]).toEqual([2_048, 20_000]);
    expect([getMaxAnswerTokens(undefined), getMaxAnswerTokens(undefined, 20_000)]).toEqual([4_096, 20_000]);
    expect(fitWindowToModel({ ...wide, tokens: 200_000 }, 131_072, 5_000, 100_000).tokens).toBe(
      131_072 - 32_768 - 5_000,
    );
  });

  test('gets the newest quarter of the tokens, or nothing, after it rejected the prompt', () => {
    expect(takeNewestQuarter([40, 30, 10, 15].map((tokens) => sized(tokens)))).toEqual([sized(15)]);
    expect(takeNewestQuarter([sized(10)])).toEqual([]);
    expect(takeNewestQuarter([])).toEqual([]);
    assert(
      property(array(integer({ min: 1, max: 40 })), (sizes) => {
        const all = sizes.map((tokens) => sized(tokens));
        const window = takeNewestQuarter(all);
        expect(all.slice(all.length - window.length)).toEqual(window);
        expect(sum(window)).toBeLessThanOrEqual(sum(all) / 4);
      }),
    );
  });
});
