import { describe, expect, test } from '@jest/globals';
import { replay } from './explore.ts';
import { SEEDED_BUGS } from './seeded-bugs.ts';
import { playKnownSchedule, storyFor } from './detect-seeded-bug.ts';
import { KNOWN_SCHEDULES } from './known-schedules.ts';
import { exploreShare } from './explore-share.ts';
import { STORIES, STORIES_OF_DEPLOYMENT } from './stories.ts';

/** A fixed share: `npm run faults` runs as many as requested. A new story takes its share from the others, so that all take as long as before. */
const EACH = 58;
const EACH_OF_DEPLOYMENT = Math.floor(336 / STORIES_OF_DEPLOYMENT.length);
const IN_DEPLOYMENT = new Set(STORIES_OF_DEPLOYMENT);

describe('under faults each question ends once, in order, and is paid once', () => {
  test.each(STORIES.map((story) => [story.name, story] as const))(
    'in %s, under combinations of up to three faults and random schedules with up to twenty',
    async (_, story) => {
      const schedules = IN_DEPLOYMENT.has(story) ? EACH_OF_DEPLOYMENT : EACH;
      const { runs, random, findings } = await exploreShare(story, { schedules, depth: 3, seed: 1 });
      expect(findings.slice(0, 2)).toEqual([]);
      expect(runs).toBe(schedules);
      expect(random).toBeGreaterThan(schedules / 4);
    },
  );
});

test.each([
  ['tools', 4],
  ['slack-regenerate', 2],
  ['slack-continue', 2],
  ['slack-merged', 2],
  ['slack-stop', 1],
])('the story %s sends %i requests to the models without faults', async (name, count) => {
  const story = STORIES.find((one) => one.name === name);
  const played = await story?.play(() => undefined);
  expect(played?.trace().filter((line) => line.endsWith(' request'))).toHaveLength(count);
});

// If the schedule no longer shows the bug, `npm run faults` finds another one for known-schedules.ts.
test.each(SEEDED_BUGS)('the known schedule of a seeded bug still shows it: %s', async (bug) => {
  const finding = await playKnownSchedule(bug, true);
  expect(finding.wrong.join('\n')).toContain(KNOWN_SCHEDULES[bug].finding);
  const again = await replay(storyFor(bug, true), finding.replay.slice(finding.replay.indexOf(':') + 1));
  expect(again.wrong).toEqual(finding.wrong);
  expect((await playKnownSchedule(bug, false)).wrong).toEqual([]);
  // A bug that shows without a fault says nothing about the protocol.
  expect((await storyFor(bug, true).play(() => undefined)).wrong).toEqual([]);
});
