import { describe, expect, test } from '@jest/globals';
import { array, assert, integer, property } from 'fast-check';
import { trim } from '../../shared/conversation/index.ts';

const sized = (tokens: number, bytes = tokens) => ({ tokens, bytes });
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
