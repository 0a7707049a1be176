import { describe, expect, test } from '@jest/globals';
import { replay } from './explore.ts';
import { MUTANTS } from './mutants.ts';
import { isCaught, storyWith } from './seeded-bugs.ts';
import { shareOf } from './shares.ts';
import { STORIES } from './stories.ts';

const MINUTE = 60_000;
/** A fixed share: `npm run faults` plays as many as it is told. */
const EACH = 60;

describe('whatever goes wrong, everything that was asked ends once, in order, paid once', () => {
  test.each(STORIES.map((story) => [story.name, story] as const))(
    '%s, under combinations of up to three faults and random schedules with up to twenty',
    async (_, story) => {
      const share = { each: EACH, depth: 3, seed: 1, part: { nth: 0, of: 1 } };
      const { runs, findings } = await shareOf(story, share);
      expect(findings.slice(0, 2)).toEqual([]);
      expect(runs).toBeGreaterThanOrEqual(EACH);
    },
    2 * MINUTE,
  );
});

test.each(MUTANTS)(
  'the simulation notices the seeded bug: %s',
  async (mutant) => {
    const found = await isCaught(mutant);
    const [, ...text] = (found?.replay ?? '').split(':');
    // A bug that shows without a fault shows nothing of the protocol.
    expect(text.join(':')).not.toBe('strikes:');
    const again = await replay(storyWith(mutant), text.join(':'));
    expect(again.wrong).toEqual(found?.wrong);
  },
  MINUTE,
);
