import { describe, expect, test } from '@jest/globals';
import { array, assert, integer, property } from 'fast-check';
import { maxAnswerTokens, quarter, trim, within } from '../../../shared/domain/index.ts';

const sized = (tokens: number, bytes = tokens) => ({ tokens, bytes });
const sum = (turns: readonly { tokens: number }[]) => turns.reduce((total, { tokens }) => total + tokens, 0);
const limit = { tokens: 100, bytes: 1_000 };

describe('trimming the past of a thread', () => {
  test('what fits stays whole', () => {
    const turns = [sized(30), sized(30), sized(40)];
    expect(trim(turns, limit)).toEqual(turns);
    expect(trim([], limit)).toEqual([]);
  });

  test('what no longer fits goes from the oldest on, in one block, down to three fifths', () => {
    const turns = Array.from({ length: 11 }, () => sized(10));
    expect(trim(turns, limit)).toHaveLength(6);
  });

  test('stored bytes count as well as tokens', () => {
    const turns = Array.from({ length: 11 }, () => sized(1, 100));
    expect(trim(turns, limit)).toHaveLength(6);
  });

  test('the newest turn stays however large it is', () => {
    expect(trim([sized(10), sized(5_000)], limit)).toEqual([sized(5_000)]);
  });

  test('between two trims each prompt begins with the whole of the last one', () => {
    const sizes = array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 });
    assert(
      property(sizes, (all) => {
        let kept: { tokens: number; bytes: number }[] = [];
        let trims = 0;
        for (const tokens of all) {
          const before = [...kept, sized(tokens)];
          kept = trim(before, limit);
          expect(before.slice(before.length - kept.length)).toEqual(kept);
          expect(kept.at(-1)?.tokens).toBe(tokens);
          if (kept.length < before.length) trims += 1;
        }
        // Each trim makes room for at least two fifths of the limit.
        expect(trims).toBeLessThanOrEqual(Math.ceil(all.reduce((a, b) => a + b, 0) / 40));
      }),
    );
  });
});

describe('a model that takes in little', () => {
  test('leaves the past what the question and the answer do not need', () => {
    const wide = { tokens: 8_000, bytes: 1_000 };
    expect(within(wide, undefined, 5_000)).toEqual(wide);
    expect(within(wide, 131_072, 5_000)).toEqual(wide);
    expect(within(wide, 8_192, 1_000)).toEqual({ tokens: 8_192 - 2_048 - 1_000, bytes: 1_000 });
    expect(within(wide, 8_192, 9_000).tokens).toBe(0);
    expect([maxAnswerTokens(8_192), maxAnswerTokens(131_072)]).toEqual([2_048, 4_096]);
    expect([maxAnswerTokens(8_192, 20_000), maxAnswerTokens(131_072, 20_000)]).toEqual([2_048, 20_000]);
    expect([maxAnswerTokens(undefined), maxAnswerTokens(undefined, 20_000)]).toEqual([4_096, 20_000]);
    expect(within({ ...wide, tokens: 200_000 }, 131_072, 5_000, 100_000).tokens).toBe(
      131_072 - 32_768 - 5_000,
    );
  });

  test('and has less than it seemed, keeps the newest turns with a quarter of the tokens, or none', () => {
    expect(quarter([40, 30, 10, 15].map((tokens) => sized(tokens)))).toEqual([sized(15)]);
    expect(quarter([sized(10)])).toEqual([]);
    expect(quarter([])).toEqual([]);
    assert(
      property(array(integer({ min: 1, max: 40 })), (sizes) => {
        const all = sizes.map((tokens) => sized(tokens));
        const kept = quarter(all);
        expect(all.slice(all.length - kept.length)).toEqual(kept);
        expect(sum(kept)).toBeLessThanOrEqual(sum(all) / 4);
      }),
    );
  });
});
